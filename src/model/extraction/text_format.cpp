#include "extract_reader.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace reelsd::model {
namespace {

/// Removes and returns the leading digits; empty unless there are `count` of them.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return std::nullopt;
    const auto digits = text.substr(0, count);
    if (!std::all_of(digits.begin(), digits.end(), &is_digit)) return std::nullopt;
    text.remove_prefix(count);
    return parse_number<int>(digits);
}

std::optional<int> take_digits_after(std::string_view& text, char sign, std::size_t count) {
    if (!text.starts_with(sign)) return std::nullopt;
    text.remove_prefix(1);
    return take_digits(text, count);
}

bool take_date(std::string_view& text) {
    const auto year = take_digits(text, 4);
    const auto month = take_digits_after(text, '-', 2);
    const auto day = take_digits_after(text, '-', 2);
    if (!year || !month || !day) return false;
    const std::chrono::year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(*month)},
        std::chrono::day{static_cast<unsigned>(*day)}};
    return date.ok();
}

bool is_hour_and_minute(std::optional<int> hour, std::optional<int> minute) {
    return hour && *hour <= 23 && minute && *minute <= 59;
}

bool take_offset(std::string_view& text) {
    if (text.starts_with('Z') || text.starts_with('z')) {
        text.remove_prefix(1);
        return true;
    }
    if (!text.starts_with('+') && !text.starts_with('-')) return false;
    text.remove_prefix(1);
    const auto hour = take_digits(text, 2);
    return is_hour_and_minute(hour, take_digits_after(text, ':', 2));
}

bool take_time(std::string_view& text) {
    const auto hour = take_digits(text, 2);
    const auto minute = take_digits_after(text, ':', 2);
    const auto second = take_digits_after(text, ':', 2);
    constexpr int leap_second = 60;
    if (!is_hour_and_minute(hour, minute) || !second || *second > leap_second) return false;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!take_digits(text, 1)) return false;
        while (take_digits(text, 1)) continue;
    }
    return take_offset(text);
}

bool is_date_and_time(std::string_view text) {
    if (!take_date(text) || text.empty()) return false;
    if (ascii_lower(text.front()) != 't') return false;
    text.remove_prefix(1);
    return take_time(text) && text.empty();
}

/// The characters of RFC 3986, after a scheme and a colon.
bool is_uri(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || !is_alpha(text.front())) return false;
    const auto scheme = text.substr(0, colon);
    const auto rest = text.substr(colon + 1);
    const auto is_of_scheme = [](char byte) {
        return is_alphanumeric(byte) || contains("+-.", std::string_view{&byte, 1});
    };
    if (rest.empty() || !std::all_of(scheme.begin(), scheme.end(), is_of_scheme)) return false;
    if (std::count(rest.begin(), rest.end(), '#') > 1) return false;
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (rest[at] == '%') {
            if (at + 2 >= rest.size() || !hex_value(rest[at + 1]) || !hex_value(rest[at + 2]))
                return false;
        } else if (
            !is_alphanumeric(rest[at]) && !contains("-._~:/?#[]@!$&'()*+,;=", rest.substr(at, 1))) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
    if (format == "date") return take_date(text) && text.empty();
    if (format == "time") return take_time(text) && text.empty();
    if (format == "date-time") return is_date_and_time(text);
    return format != "uri" || is_uri(text);
}

}  // namespace reelsd::model
