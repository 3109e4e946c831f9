#pragma once

#include "settings.hpp"

#include <span>

namespace reelsd::app {

/// The settings of the port, and of what its clients may take up. In the order of the help text.
[[nodiscard]] std::span<const setting_definition> listener_setting_definitions();

}  // namespace reelsd::app
