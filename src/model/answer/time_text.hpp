#pragma once

#include <optional>
#include <string_view>

/// Times as models write them, read leniently: whatever the prompt asks for, all of these come.
namespace reelsd::model {

struct parsed_time {
    double seconds = 0;  ///< In [0, duration].
    double past_end_seconds =
        0;  ///< How far beyond the end it was before it was moved there, else 0.
};

/// What a video's length counts as: none for what is no length.
[[nodiscard]] double usable_duration(double seconds) noexcept;

/// S, M:SS, MM:SS.mmm, MM:SS,mmm, H:MM:SS, 1m30s, with or without brackets around it. What would
/// lie past the end is tried as digits without their colon (130 for 1:30) and as MM:SS:ff, and
/// moved to the end if neither fits. Nothing when it is no time.
[[nodiscard]] std::optional<parsed_time> read_time(std::string_view text, double duration_seconds);

/// A number stands for seconds, or for digits without their colon. Below zero is the start.
[[nodiscard]] std::optional<parsed_time> read_time(double number, double duration_seconds);

}  // namespace reelsd::model
