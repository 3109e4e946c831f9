#pragma once

#include "frame_choice.hpp"
#include <reelsd/media/report.hpp>

namespace reelsd::media {

/// The frame as players show it, scaled down into the bounds of each size (never up), as fine as
/// their bytes allow. Throws std::runtime_error when FFmpeg can neither convert nor encode it.
[[nodiscard]] thumbnail_report thumbnail_of(const chosen_frame& chosen);

}  // namespace reelsd::media
