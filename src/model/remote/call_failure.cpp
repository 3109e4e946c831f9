#include "call_failure.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>

namespace reelsd::model {
namespace {

struct kind_traits {
    failure_kind kind;
    errc code;
    int tries_max;
};

// A busy provider recovers soon, a broken one seldom. A slow request may have taken minutes, or
// have been billed. A refused variant of a request is misconfigured once no variant is left.
constexpr int busy_tries_max = 5;
constexpr int transient_tries_max = 3;
constexpr int slow_tries_max = 2;

constexpr auto kinds = std::to_array<kind_traits>({
    {failure_kind::misconfigured, errc::model_misconfigured, 1},
    {failure_kind::unlisted, errc::not_found, 1},
    {failure_kind::unauthorized, errc::model_misconfigured, 1},
    {failure_kind::quota_exhausted, errc::model_unavailable, 1},
    {failure_kind::rate_limited, errc::model_unavailable, busy_tries_max},
    {failure_kind::overloaded, errc::model_unavailable, busy_tries_max},
    {failure_kind::transient, errc::model_unavailable, transient_tries_max},
    {failure_kind::server_fault, errc::model_unavailable, transient_tries_max},
    {failure_kind::slow, errc::model_unavailable, slow_tries_max},
    {failure_kind::video_rejected, errc::model_refused, 1},
    {failure_kind::payload_too_large, errc::model_refused, 1},
    {failure_kind::schema_refused, errc::model_misconfigured, 1},
    {failure_kind::thinking_refused, errc::model_misconfigured, 1},
    {failure_kind::store_refused, errc::model_misconfigured, 1},
    {failure_kind::limit_refused, errc::model_misconfigured, 1},
    {failure_kind::limit_too_large, errc::model_misconfigured, 1},
    {failure_kind::context_exceeded, errc::model_misconfigured, 1},
    {failure_kind::request_too_large, errc::model_misconfigured, 1},
    {failure_kind::input_flagged, errc::model_refused, 1},
    {failure_kind::file_not_ready, errc::model_unavailable, busy_tries_max},
    {failure_kind::file_gone, errc::model_unavailable, 1},
    {failure_kind::no_calls_left, errc::limit_reached, 1},
    {failure_kind::budget_spent, errc::unauthorized, 1},
    {failure_kind::storage, errc::storage_failed, 1},
    {failure_kind::media_child, errc::media_failed, 1},
    {failure_kind::no_database, errc::database_unavailable, 1},
    {failure_kind::cancelled, errc::cancelled, 1},
});

const kind_traits& traits_of(failure_kind kind) noexcept {
    const auto& traits = kinds.at(static_cast<std::size_t>(kind));
    invariant(traits.kind == kind);
    return traits;
}

constexpr seconds_f pause_first{1.0};
constexpr seconds_f pause_max{60.0};
/// A worker does not wait longer.
constexpr seconds_f wait_max = pause_max;
constexpr double server_delay_spread = 0.25;
/// For servers that name no delay or 0.
constexpr seconds_f server_delay_least{0.25};

/// A longer delay is a mistake of the server.
constexpr double delay_seconds_max = 86'400;

struct duration_unit {
    std::string_view name;
    double seconds;
};
constexpr std::array<duration_unit, 4> all_units{{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}}};
constexpr std::span<const duration_unit> proto_units = std::span{all_units}.first(2);

/// Removes a number from the front of `text`.
std::optional<double> take_number(std::string_view& text) {
    double number = 0;
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (failure != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// The seconds of a number and a unit, which are removed from the front of `text`.
std::optional<double> take_duration(std::string_view& text, std::span<const duration_unit> units) {
    const auto number = take_number(text);
    const auto unit = std::ranges::find_if(
        units, [text](const duration_unit& known) { return text.starts_with(known.name); });
    if (!number || unit == units.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    return *number * unit->seconds;
}

seconds_f bounded(double seconds) {
    return seconds_f{std::clamp(seconds, 0.0, delay_seconds_max)};
}

/// "1h2m3.5s"
std::optional<seconds_f> compound_duration_from(std::string_view text) {
    if (text.empty()) return std::nullopt;
    double sum = 0;
    while (!text.empty()) {
        const auto seconds = take_duration(text, all_units);
        if (!seconds) return std::nullopt;
        sum += *seconds;
    }
    return bounded(sum);
}

std::optional<double> number_from(std::string_view text) {
    const auto number = take_number(text);
    return text.empty() ? number : std::nullopt;
}

}  // namespace

int tries_max(const call_failure& why) noexcept {
    const auto usual = traits_of(why.kind).tries_max;
    const auto tries =
        why.should_retry.value_or(false) ? std::max(usual, transient_tries_max) : usual;
    // A short outage must not use up the job's paid calls.
    return why.may_be_billed ? std::min(tries, slow_tries_max) : tries;
}

failure_kind kind_of_status(int http_status) noexcept {
    switch (http_status) {
        case 401: return failure_kind::unauthorized;
        case 408: return failure_kind::transient;
        case 413: return failure_kind::payload_too_large;
        case 500: return failure_kind::server_fault;
        case 503: return failure_kind::overloaded;
        case 504:
        case 524: return failure_kind::slow;
        default: break;
    }
    // A proxy may send a success status without an answer.
    const bool is_transient = http_status < 300 || http_status > 500;
    return is_transient ? failure_kind::transient : failure_kind::misconfigured;
}

bool is_gateway_failure(int http_status) noexcept {
    constexpr std::array<int, 5> statuses{408, 502, 504, 520, 524};
    return std::ranges::find(statuses, http_status) != statuses.end();
}

call_failure failure_from(const error& why) {
    switch (why.code()) {
        case errc::cancelled: return {.kind = failure_kind::cancelled};
        case errc::timed_out: return {.kind = failure_kind::slow, .detail = "no answer in time"};
        case errc::address_refused:
        case errc::invalid_argument:
            return {.kind = failure_kind::misconfigured, .detail = why.detail()};
        case errc::storage_failed:
            return {.kind = failure_kind::storage, .detail = why.to_string()};
        case errc::database_unavailable:
            return {.kind = failure_kind::no_database, .detail = why.to_string()};
        case errc::limit_reached:
            return {.kind = failure_kind::no_calls_left, .detail = why.detail()};
        case errc::unauthorized:
            return {.kind = failure_kind::budget_spent, .detail = why.detail()};
        default: return {.kind = failure_kind::transient, .detail = why.detail()};
    }
}

error error_from(const call_failure& why) {
    const auto& traits = traits_of(why.kind);
    return error{traits.code, std::string{name_of(why.kind)} + ": " + why.detail};
}

std::string without_secret(std::string text, std::string_view secret) {
    if (!secret.empty()) boost::algorithm::replace_all(text, secret, "***");
    return text;
}

call_failure masked(call_failure why, std::string_view secret) {
    why.detail = without_secret(std::move(why.detail), secret);
    return why;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t characters_max = 300;
    return clean_line(text.substr(0, 4 * characters_max), characters_max);
}

next_try after_failed_try(const call_failure& why, int tries, double jitter) noexcept {
    const auto named_delay = why.server_delay.value_or(seconds_f{0});
    if (why.kind == failure_kind::quota_exhausted) return snooze{named_delay};
    const auto tries_most = tries_max(why);
    if (tries_most == 1 || !why.should_retry.value_or(true)) return give_up{};
    if (named_delay > wait_max) return snooze{named_delay};
    if (tries >= tries_most) return give_up{};
    // Never earlier than the server says, and not all workers at once.
    if (why.server_delay)
        return try_again{
            std::max(named_delay, server_delay_least) * (1 + server_delay_spread * jitter)};
    const auto doubled = std::min(pause_first * std::pow(2.0, tries - 1), pause_max);
    return try_again{doubled * (0.5 + 0.5 * jitter)};
}

std::optional<seconds_f> duration_from(std::string_view text) {
    const auto seconds = take_duration(text, proto_units);
    if (!seconds || !text.empty()) return std::nullopt;
    return bounded(*seconds);
}

std::optional<seconds_f> delay_in_message(std::string_view message) {
    constexpr std::string_view opening = "retry in ";
    const auto at = message.find(opening);
    if (at == std::string_view::npos) return std::nullopt;
    message.remove_prefix(at + opening.size());
    const auto seconds = take_duration(message, proto_units);
    if (!seconds) return std::nullopt;
    return bounded(*seconds);
}

std::optional<seconds_f> delay_in_headers(
    const net::header_list& headers, std::chrono::system_clock::time_point now) {
    if (const auto field = headers.find("retry-after-ms")) {
        if (const auto number = number_from(*field)) return bounded(*number / 1000);
    }
    const auto field = headers.find("retry-after");
    if (!field) return std::nullopt;
    if (const auto number = number_from(*field)) return bounded(*number);
    const auto date = parse_http_date(std::string{*field});
    if (!date) return std::nullopt;
    return bounded(seconds_f{*date - now.time_since_epoch()}.count());
}

std::optional<seconds_f> delay_in_limits(const net::header_list& headers) {
    std::optional<seconds_f> longest;
    for (const std::string kind : {"requests", "tokens"}) {
        const auto remaining = headers.find("x-ratelimit-remaining-" + kind);
        const auto reset = headers.find("x-ratelimit-reset-" + kind);
        if (remaining != "0" || !reset) continue;
        const auto delay = compound_duration_from(*reset);
        if (delay && (!longest || *delay > *longest)) longest = delay;
    }
    return longest;
}

seconds_f until_next_quota_day(std::chrono::system_clock::time_point now) {
    constexpr std::chrono::hours midnight_at_pacific{8};
    const auto today = std::chrono::floor<std::chrono::days>(now) + midnight_at_pacific;
    const auto next = today > now ? today : today + std::chrono::days{1};
    return seconds_f{next - now};
}

}  // namespace reelsd::model
