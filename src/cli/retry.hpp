#pragma once

#include <chrono>
#include <optional>

namespace reelsd::cli {

/// Number and delays of the retries of a request.
struct retry_policy {
    int attempts_max = 3;                 ///< The first one counts.
    std::chrono::seconds first_delay{1};  ///< Doubled each time.
    /// Gives up if the server requests a longer delay, because a user waits at the terminal.
    std::chrono::seconds delay_max{60};
};

/// Outcome of one attempt.
struct attempt_outcome {
    std::optional<int> status;                        ///< HTTP status; none without a response.
    std::optional<std::chrono::seconds> retry_after;  ///< Requested by the server.
};

/// Delay before the next attempt, or nothing if the outcome is final. Retries 429, 500, 502, 503
/// and a missing response. `attempts_made` is at least 1. A longer Retry-After of the server
/// replaces the policy's delay; beyond `delay_max` there is no next attempt.
[[nodiscard]] std::optional<std::chrono::seconds> delay_before_next(
    const retry_policy& policy, int attempts_made, const attempt_outcome& outcome);

}  // namespace reelsd::cli
