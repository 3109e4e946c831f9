#pragma once

#include <reelsd/app/settings.hpp>
#include <reelsd/platform/source.hpp>

namespace reelsd::app {

/// The settings that concern the platform, as its source takes them; without observers.
[[nodiscard]] platform::source_settings source_settings_of(const settings& with);

}  // namespace reelsd::app
