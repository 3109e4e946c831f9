#pragma once

#include "call_failure.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>
#include <variant>

/// How often and when a failed request is retried, and the delays that servers name.
namespace reelsd::model {

/// Retry in this worker, after a pause.
struct try_again {
    seconds_f pause{0};
};
/// Return the job to the queue until `wait` has passed.
struct snooze {
    seconds_f wait{0};
    bool opens_circuit = false;  ///< No worker may call the model until then.
};
struct give_up {};
using next_try = std::variant<try_again, snooze, give_up>;

/// Pure. `tries` of the same request have been made, including the failed one; `dice` in [0, 1]
/// spreads the pauses of workers that failed together.
[[nodiscard]] next_try after_failed_try(const call_failure& why, int tries, double dice) noexcept;

/// Waits; false when `stop` is requested or `by` comes first.
[[nodiscard]] bool pause(seconds_f length, const deadline& by, const std::stop_token& stop);

/// "31s", "34.07s", "900ms" as proto-JSON writes durations. Empty for other text.
[[nodiscard]] std::optional<seconds_f> duration_from(std::string_view text);

/// "... Please retry in 31.2s." within a message.
[[nodiscard]] std::optional<seconds_f> delay_in_message(std::string_view message);

/// The fields `retry-after-ms` and `retry-after` (seconds, or an HTTP date relative to `now`).
[[nodiscard]] std::optional<seconds_f> delay_in_headers(
    const net::header_list& headers, std::chrono::system_clock::time_point now);

/// The later of `x-ratelimit-reset-requests` and `-tokens` ("1s", "6m0s", "20ms") whose
/// `x-ratelimit-remaining-...` is 0.
[[nodiscard]] std::optional<seconds_f> delay_in_limits(const net::header_list& headers);

/// Until daily quotas are reset: midnight Pacific time, taken as 08:00 UTC, which in summer is an
/// hour late.
[[nodiscard]] seconds_f until_next_quota_day(std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
