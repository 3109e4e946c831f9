#include "time_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>

namespace reelsd::db {
namespace {

using namespace std::chrono;

/// Takes exactly `digits` decimal digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) return {};
    int number = 0;
    for (const char c : text.substr(0, digits)) {
        if (c < '0' || c > '9') return {};
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(digits);
    return number;
}

bool take(std::string_view& text, char expected) {
    if (!text.starts_with(expected)) return false;
    text.remove_prefix(1);
    return true;
}

/// Two-digit or four-digit parts with their separators, in order.
struct parts {
    int year, month, day, hour, minute, second;
};

std::optional<parts> take_parts(std::string_view& text) {
    struct field {
        int parts::*into;
        std::size_t digits;
        char before;
    };
    constexpr std::array fields{
        field{&parts::year, 4, '\0'},
        field{&parts::month, 2, '-'},
        field{&parts::day, 2, '-'},
        field{&parts::hour, 2, ' '},
        field{&parts::minute, 2, ':'},
        field{&parts::second, 2, ':'},
    };
    parts found{};
    for (const auto& [into, digits, before] : fields) {
        if (before != '\0' && !take(text, before)) return {};
        const auto number = take_number(text, digits);
        if (!number) return {};
        found.*into = *number;
    }
    return found;
}

/// Microseconds of ".123456"; zero when there is no fraction.
std::optional<int> take_fraction(std::string_view& text) {
    if (!take(text, '.')) return 0;
    int number = 0;
    int digits = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        if (++digits > 6) return {};
        number = number * 10 + (text.front() - '0');
        text.remove_prefix(1);
    }
    if (digits == 0) return {};
    for (; digits < 6; ++digits) number *= 10;
    return number;
}

}  // namespace

std::string timestamp_text(time_point when) {
    const auto day = floor<days>(when);
    const year_month_day date{day};
    const auto year_number = static_cast<int>(date.year());
    if (!date.ok() || year_number < 1 || year_number > 9999) return {};
    const hh_mm_ss time{when - day};
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}+00",
        year_number,
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        time.subseconds().count());
}

std::optional<time_point> timestamp_from_text(std::string_view text) {
    const auto found = take_parts(text);
    if (!found) return {};
    const auto fraction = take_fraction(text);
    if (!fraction || text != "+00") return {};
    const year_month_day date{
        year{found->year},
        month{static_cast<unsigned>(found->month)},
        day{static_cast<unsigned>(found->day)}};
    if (!date.ok() || found->year < 1 || found->hour > 23 || found->minute > 59 ||
        found->second > 59)
        return {};
    return time_point{sys_days{date}} + hours{found->hour} + minutes{found->minute} +
           seconds{found->second} + microseconds{*fraction};
}

}  // namespace reelsd::db
