#include "extract_reader.hpp"

#include "extract_schema.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json_schema.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

using pointer = json::json_pointer;

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

/// Copies an answer into the order of its schema. The recursion is as deep as the answer, which
/// parse_answer() bounds.
class arranger {
public:
    json arranged(const answer_json& value, const json& schema, const pointer& at) {
        if (value.is_string()) {
            auto text = without_nul(value.get_ref<const std::string&>());
            if (schema.contains("format")) check_format(text, schema.at("format"), at);
            return text;
        }
        if (value.is_object()) return arranged_object(value, schema, at);
        if (!value.is_array()) return value;
        static const json anything = json::object();
        const auto& items = schema.contains("items") ? schema.at("items") : anything;
        auto list = json::array();
        for (std::size_t index = 0; index < value.size(); ++index)
            list.push_back(arranged(value[index], items, at / index));
        return list;
    }

    std::vector<std::string> take() { return std::move(violations_); }

private:
    json arranged_object(const answer_json& value, const json& schema, const pointer& at) {
        static const json none = json::object();
        const auto& properties = schema.contains("properties") ? schema.at("properties") : none;
        auto object = json::object();
        for (const auto& [name, property] : properties.items()) {
            const auto found = value.find(name);
            if (found == value.end()) continue;
            const bool is_absent =
                found->is_null() && !is_required(schema, name) && !allows_null(property);
            if (!is_absent) object[name] = arranged(*found, property, at / name);
        }
        std::size_t others = 0;
        for (const auto& [name, member] : value.items()) {
            if (properties.contains(name)) continue;
            if (++others > extract_other_members_max) break;
            if (!schema.contains("additionalProperties"))
                object[without_nul(name)] = arranged(member, none, at);
        }
        if (others > extract_other_members_max)
            add(at, "has too many members");
        else if (others > 0 && schema.contains("additionalProperties"))
            add(at, "has members that its schema does not allow");
        return object;
    }

    void check_format(const std::string& text, const json& format, const pointer& at) {
        const auto& name = format.get_ref<const std::string&>();
        if (!has_format(text, name)) add(at, fmt::format("must have the format \"{}\"", name));
    }

    void add(const pointer& at, std::string_view what) {
        if (violations_.size() < schema_violations_max)
            violations_.push_back(fmt::format("extract{} {}", at.to_string(), what));
    }

    std::vector<std::string> violations_;
};

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
    if (format == "date") return take_date(text) && text.empty();
    if (format == "time") return take_time(text) && text.empty();
    if (format == "date-time") return is_date_and_time(text);
    return format != "uri" || is_uri(text);
}

std::string without_nul(const std::string& text) {
    auto clean = text;
    clean.erase(std::remove(clean.begin(), clean.end(), '\0'), clean.end());
    return clean;
}

extract_answer read_extract(const answer_json& value, const json& schema) {
    arranger order;
    const auto extract = order.arranged(value, schema, pointer{});
    extract_answer answer{.text = {}, .violations = order.take()};
    for (const auto& violation : schema_violations(extract, schema))
        answer.violations.push_back(fmt::format("extract{} {}", violation.at, violation.what));
    if (!answer.violations.empty()) return answer;
    answer.text = extract.dump(-1, ' ', false, json::error_handler_t::replace);
    if (answer.text.size() <= extract_bytes_max) return answer;
    return {
        .text = {},
        .violations = {fmt::format("extract is larger than {} KiB", extract_bytes_max / 1024)}};
}

}  // namespace reelsd::model
