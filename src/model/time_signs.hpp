#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

/// Signs that the times of an analysis are not those of the video. The reader of a model's answer
/// sees them as they were written, the local checks see what became of them: both say the same.
namespace reelsd::model {

/// Rounding to a frame is no mistake: a time so far past the end is the end.
inline constexpr double past_end_seconds_tolerated = 0.5;

inline constexpr std::string_view times_moved_warning =
    "times past the end of the video were moved to its end";

/// A model that rounds, or counts at another rate, misses the end by little. Past half the length
/// more, and five seconds at least, it speaks of another video. One entry, with its start and its
/// end, may be a slip of the pen.
[[nodiscard]] constexpr bool is_far_past_end(double seconds, double duration_seconds) noexcept {
    return seconds > duration_seconds + std::max(duration_seconds / 2, 5.0);
}
inline constexpr std::size_t far_times_min = 3;

inline constexpr std::string_view far_times_warning =
    "times lie far past the end of the video: the analysis may be of another one";

}  // namespace reelsd::model
