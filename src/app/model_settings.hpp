#pragma once

#include "settings.hpp"

#include <span>

namespace reelsd::app {

/// The settings of models: prompts, keys, prices. In the order of the help text.
[[nodiscard]] std::span<const setting_definition> model_setting_definitions();

}  // namespace reelsd::app
