#pragma once

#include "arguments.hpp"
#include <reelsd/base/json_fwd.hpp>

namespace reelsd::media {

/// Enters the jail, and tries from inside what a decoder that was taken over would try.
[[nodiscard]] jail_report examine_jail(const arguments& given);

/// Loads the models, enters the jail and tells what holds: an object with `jail`, `tessdata`,
/// `speech_model` and `libraries`. Afterwards this process can do nothing but write it.
[[nodiscard]] json examine(const arguments& given);

}  // namespace reelsd::media
