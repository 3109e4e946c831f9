#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <optional>
#include <string_view>

/// When a server says that it may be asked again, in all the ways in which they say it.
namespace reelsd::model {

/// "31s", "34.07s", "900ms" as proto-JSON writes durations. Nothing for other text.
[[nodiscard]] std::optional<seconds_f> duration_from(std::string_view text);

/// "... Please retry in 31.2s." within a message.
[[nodiscard]] std::optional<seconds_f> delay_in_message(std::string_view message);

/// The fields `retry-after-ms` and `retry-after` (seconds, or an HTTP date seen from `now`).
[[nodiscard]] std::optional<seconds_f> delay_in_headers(
    const net::header_list& headers, std::chrono::system_clock::time_point now);

/// Of `x-ratelimit-reset-requests` and `-tokens` ("1s", "6m0s", "20ms") the later one whose
/// `x-ratelimit-remaining-...` is 0.
[[nodiscard]] std::optional<seconds_f> delay_in_limits(const net::header_list& headers);

/// Until daily quotas begin anew: midnight at the Pacific, taken as 08:00 UTC, which in summer is
/// an hour late.
[[nodiscard]] seconds_f until_next_quota_day(std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
