#pragma once

#include "first_pass.hpp"

#include <functional>
#include <span>

namespace reelsd::media {

/// Gets the picture that is on screen at a moment; an error ends the reading.
using picture_taker = std::function<result<void>(const AVFrame& picture, double at_seconds)>;

/// Calls `take` for each of `moments`, which ascend: with the last picture that comes at that
/// moment or before it; the first stands for the time before it as well. What lies
/// between two key pictures (first_pass) is decoded only where a moment is. `video_too_long` when
/// pictures go on past the limit, `unsupported_format` when none decodes, and what `take` returns.
[[nodiscard]] result<void> for_each_frame_at(
    const input_file& file, const first_pass& known, double seconds_max,
    std::span<const double> moments, const picture_taker& take);

}  // namespace reelsd::media
