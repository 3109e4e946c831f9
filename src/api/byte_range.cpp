#include "byte_range.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

namespace reelsd::api {
namespace {

using kind = range_answer::kind;

/// Calls `take(element)` for each element of a comma-separated list that is not empty. Quoted
/// strings may contain commas.
template <class Take>
void each_element(std::string_view list, Take take) {
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
        if (at < list.size() && list[at] == '"') is_quoted = !is_quoted;
        if (at < list.size() && (is_quoted || list[at] != ',')) continue;
        const auto element = trimmed(list.substr(begin, at - begin), " \t");
        if (!element.empty()) take(element);
        begin = at + 1;
    }
}

enum class comparison : std::uint8_t { strong, weak };

bool names_etag(std::string_view list, std::string_view etag, comparison how) {
    if (trimmed(list, " \t") == "*") return true;
    bool is_named = false;
    each_element(list, [&](std::string_view element) {
        if (how == comparison::weak && element.starts_with("W/")) element.remove_prefix(2);
        is_named = is_named || element == etag;
    });
    return is_named;
}

/// Digits only; the largest number for one that is too large.
std::optional<std::uint64_t> number_of(std::string_view digits) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    std::uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
    return number;
}

/// "0-499", "500-" or "-500"; the whole file for anything else.
range_answer one_range(std::string_view spec, std::uint64_t size) {
    const range_answer whole{.what = kind::whole, .first = 0, .bytes = size};
    const auto dash = spec.find('-');
    if (dash == std::string_view::npos) return whole;
    const auto before = spec.substr(0, dash);
    const auto after = spec.substr(dash + 1);
    const auto first = number_of(before);
    const auto last = number_of(after);
    if (before.empty()) {
        if (!last) return whole;
        const auto bytes = std::min(*last, size);
        if (bytes == 0) return {.what = kind::not_satisfiable};
        return {.what = kind::part, .first = size - bytes, .bytes = bytes};
    }
    if (!first || (!after.empty() && !last)) return whole;
    if (last && *last < *first) return whole;
    if (*first >= size) return {.what = kind::not_satisfiable};
    const auto end = last ? std::min(*last, size - 1) : size - 1;
    return {.what = kind::part, .first = *first, .bytes = end - *first + 1};
}

/// Range units are case-insensitive (RFC 9110 14.1).
bool is_in_bytes(std::string_view range) {
    constexpr std::string_view unit = "bytes=";
    return range.size() >= unit.size() &&
           std::equal(unit.begin(), unit.end(), range.begin(), [](char expected, char c) {
               return expected == (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
           });
}

}  // namespace

range_answer answer_range(const range_request& request, std::uint64_t size, std::string_view etag) {
    const range_answer whole{.what = kind::whole, .first = 0, .bytes = size};
    if (request.if_match && !names_etag(*request.if_match, etag, comparison::strong)) {
        return {.what = kind::precondition_failed};
    }
    if (request.if_none_match && names_etag(*request.if_none_match, etag, comparison::weak)) {
        return {.what = kind::not_modified};
    }
    if (!request.range || !is_in_bytes(*request.range)) return whole;
    // No Last-Modified is sent, so a date never matches.
    if (request.if_range && trimmed(*request.if_range, " \t") != etag) return whole;
    std::size_t count = 0;
    auto answer = whole;
    each_element(request.range->substr(std::string_view{"bytes="}.size()), [&](auto spec) {
        ++count;
        answer = one_range(spec, size);
    });
    return count == 1 ? answer : whole;
}

}  // namespace reelsd::api
