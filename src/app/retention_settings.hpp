#pragma once

#include "settings.hpp"

#include <span>

namespace reelsd::app {

/// The settings of how long things are kept. In the order of the help text.
[[nodiscard]] std::span<const setting_definition> retention_setting_definitions();

}  // namespace reelsd::app
