#pragma once

#include <chrono>
#include <optional>

namespace reelsd::cli {

/// How often and how patiently a request is repeated.
struct retry_policy {
    int attempts_max = 3;                 ///< The first one counts.
    std::chrono::seconds first_delay{1};  ///< Doubled each time.
    /// A server that asks for more than this is not waited for: a person sits at the terminal.
    std::chrono::seconds delay_max{60};
};

/// What came of one attempt.
struct attempt_outcome {
    std::optional<int> status;  ///< The HTTP status; none when no answer came.
    std::optional<std::chrono::seconds> retry_after;  ///< The server's own wish, if it had one.
};

/// How long to wait before the next attempt, or nothing when the outcome stands. Worth another try
/// are 429, 500, 502, 503 and no answer at all. `attempts_made` is at least 1. The server's
/// Retry-After wins when it is longer than our own delay; past `delay_max` there is no next
/// attempt.
[[nodiscard]] std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome);

}  // namespace reelsd::cli
