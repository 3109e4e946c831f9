#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

/// Values as models write them, parsed leniently.
namespace reelsd::model {

struct parsed_time {
    double seconds = 0;           ///< In [0, duration].
    double past_end_seconds = 0;  ///< By how much it was past the end; `seconds` is the end then.
};

/// A video's length; 0 for negative and non-finite numbers.
[[nodiscard]] double usable_duration(double seconds) noexcept;

/// S, M:SS, MM:SS.mmm, MM:SS,mmm, H:MM:SS, 1m30s, even in brackets. A time past the end is retried
/// as digits without their colon (130 for 1:30) and as MM:SS:ff, and moved to the end if neither
/// fits. Empty for other text.
[[nodiscard]] std::optional<parsed_time> read_time(std::string_view text, double duration_seconds);

/// Seconds, or digits without their colon. Negative numbers are the start.
[[nodiscard]] std::optional<parsed_time> read_time(double number, double duration_seconds);

/// Whether a time is not past the end, but for rounding. The prompt names the length in whole
/// seconds, rounded up.
[[nodiscard]] inline bool fits_within(double seconds, double duration_seconds) noexcept {
    constexpr double rounding_seconds = 0.5;
    return seconds <= std::max(duration_seconds + rounding_seconds, std::ceil(duration_seconds));
}

inline constexpr std::string_view times_moved_warning =
    "times past the end of the video were moved to its end";

/// Rounding and other frame rates miss the end by little. A time past one and a half lengths, and
/// at least 5 s past the end, belongs to another video, if an analysis has several of them.
[[nodiscard]] constexpr bool is_far_past_end(double seconds, double duration_seconds) noexcept {
    return seconds > duration_seconds + std::max(duration_seconds / 2, 5.0);
}
inline constexpr std::ptrdiff_t far_times_min = 3;

inline constexpr std::string_view far_times_warning =
    "times lie far past the end of the video: the analysis may be of another one";

}  // namespace reelsd::model
