#pragma once

#include "arguments.hpp"
#include <reelsd/base/json_fwd.hpp>

namespace reelsd::media {

/// Loads the models, enters the jail and tells what holds: an object with `jail`, `tessdata`,
/// `speech_model` and `libraries`. Afterwards this process can do nothing but write it.
[[nodiscard]] json examine(const arguments& given);

}  // namespace reelsd::media
