#include "server_delay.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace reelsd::model {
namespace {

/// More than a day is no delay but a mistake.
constexpr double delay_seconds_max = 86'400;

std::optional<double> number_at_begin(std::string_view text, std::string_view& rest) {
    double number = 0;
    const auto [end, failure] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (failure != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
    rest = text.substr(static_cast<std::size_t>(end - text.data()));
    return number;
}

seconds_f bounded(double seconds) {
    return seconds_f{std::clamp(seconds, 0.0, delay_seconds_max)};
}

/// "1h2m3.5s": units that follow one another.
std::optional<seconds_f> compound_duration_from(std::string_view text) {
    double seconds = 0;
    if (text.empty()) return std::nullopt;
    while (!text.empty()) {
        std::string_view rest;
        const auto number = number_at_begin(text, rest);
        const auto unit = rest.substr(0, std::min(rest.find_first_of("0123456789"), rest.size()));
        if (!number) return std::nullopt;
        if (unit == "ms") {
            seconds += *number / 1000;
        } else if (unit == "s") {
            seconds += *number;
        } else if (unit == "m") {
            seconds += *number * 60;
        } else if (unit == "h") {
            seconds += *number * 3600;
        } else {
            return std::nullopt;
        }
        text = rest.substr(unit.size());
    }
    return bounded(seconds);
}

/// "Fri, 20 Nov 2026 08:00:00 GMT", in seconds since 1970: the clock's own time points end in 2262,
/// and a server may well name a later year.
std::optional<double> date_from(std::string_view text) {
    const std::string copy{text};
    std::tm parts{};
    const char* const end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return static_cast<double>(::timegm(&parts));
}

}  // namespace

std::optional<seconds_f> duration_from(std::string_view text) {
    std::string_view unit;
    const auto number = number_at_begin(text, unit);
    if (!number) return std::nullopt;
    if (unit == "s") return bounded(*number);
    if (unit == "ms") return bounded(*number / 1000);
    return std::nullopt;
}

std::optional<seconds_f> delay_in_message(std::string_view message) {
    constexpr std::string_view opening = "retry in ";
    const auto at = message.find(opening);
    if (at == std::string_view::npos) return std::nullopt;
    std::string_view rest;
    const auto number = number_at_begin(message.substr(at + opening.size()), rest);
    if (!number) return std::nullopt;
    if (rest.starts_with("ms")) return bounded(*number / 1000);
    if (rest.starts_with("s")) return bounded(*number);
    return std::nullopt;
}

std::optional<seconds_f> delay_in_headers(
    const net::header_list& headers, std::chrono::system_clock::time_point now) {
    std::string_view rest;
    if (const auto field = headers.find("retry-after-ms")) {
        const auto number = number_at_begin(*field, rest);
        if (number && rest.empty()) return bounded(*number / 1000);
    }
    const auto field = headers.find("retry-after");
    if (!field) return std::nullopt;
    const auto number = number_at_begin(*field, rest);
    if (number && rest.empty()) return bounded(*number);
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
