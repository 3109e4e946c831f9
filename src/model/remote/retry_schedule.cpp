#include "retry_schedule.hpp"

#include <reelsd/base/sleep.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <span>
#include <string>

namespace reelsd::model {
namespace {

constexpr seconds_f pause_first{1.0};
constexpr seconds_f pause_max{60.0};
/// A worker does not wait longer.
constexpr seconds_f wait_max = pause_max;
/// For longer delays no worker needs to try.
constexpr seconds_f circuit_from{300.0};
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

/// "Fri, 20 Nov 2026 08:00:00 GMT" in seconds since 1970: the clock's time points end in 2262, and
/// a server may name a later year.
std::optional<double> date_from(std::string_view text) {
    const std::string copy{text};
    std::tm parts{};
    const char* const end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return static_cast<double>(::timegm(&parts));
}

}  // namespace

next_try after_failed_try(const call_failure& why, int tries, double dice) noexcept {
    const auto named_delay = why.server_delay.value_or(seconds_f{0});
    if (why.kind == failure_kind::quota_exhausted) return snooze{named_delay, true};
    const auto tries_most = tries_max(why);
    if (tries_most == 1 || !why.should_retry.value_or(true)) return give_up{};
    if (named_delay > circuit_from) return snooze{named_delay, true};
    if (named_delay > wait_max) return snooze{named_delay, false};
    if (tries >= tries_most) return give_up{};
    // Never earlier than the server says, and not all workers at once.
    if (why.server_delay)
        return try_again{
            std::max(named_delay, server_delay_least) * (1 + server_delay_spread * dice)};
    const auto doubled = std::min(pause_first * std::pow(2.0, tries - 1), pause_max);
    return try_again{doubled * (0.5 + 0.5 * dice)};
}

bool pause(seconds_f length, const deadline& by, const std::stop_token& stop) {
    using clock = std::chrono::steady_clock;
    const auto until =
        clock::now() + std::chrono::duration_cast<clock::duration>(std::max(length, seconds_f{0}));
    if (until > by.when()) return false;
    return stoppable_sleep_until(until, stop);
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
    const auto date = date_from(*field);
    if (!date) return std::nullopt;
    return bounded(*date - seconds_f{now.time_since_epoch()}.count());
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
