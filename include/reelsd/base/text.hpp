#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// ASCII text, independent of the locale. Bytes of multi-byte UTF-8 characters belong to no class
/// and stay as they are.
namespace reelsd {

[[nodiscard]] constexpr bool is_digit(char byte) noexcept {
    return byte >= '0' && byte <= '9';
}

[[nodiscard]] constexpr bool is_alpha(char byte) noexcept {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

[[nodiscard]] constexpr bool is_alphanumeric(char byte) noexcept {
    return is_digit(byte) || is_alpha(byte);
}

/// Whether `text` has only printable ASCII characters and no spaces. True for empty text.
[[nodiscard]] constexpr bool is_visible_ascii(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char byte) { return byte > ' ' && byte <= '~'; });
}

[[nodiscard]] constexpr char ascii_lower(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}

[[nodiscard]] inline std::string ascii_lower(std::string_view text) {
    std::string lower{text};
    for (char& byte : lower) byte = ascii_lower(byte);
    return lower;
}

[[nodiscard]] constexpr bool equals_ignoring_case(
    std::string_view left, std::string_view right) noexcept {
    const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
}

[[nodiscard]] constexpr bool contains(std::string_view text, std::string_view part) noexcept {
    return text.find(part) != std::string_view::npos;
}

inline constexpr std::string_view ascii_whitespace = " \t\r\n\v\f";

/// `text` without the bytes of `whitespace` at both ends.
[[nodiscard]] constexpr std::string_view trimmed(
    std::string_view text, std::string_view whitespace = ascii_whitespace) noexcept {
    const auto first = text.find_first_not_of(whitespace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(whitespace) - first + 1);
}

/// Whether the dot at the end of `text` is that of an English abbreviation before a name or number,
/// such as "Mr." and "St.".
[[nodiscard]] constexpr bool ends_with_abbreviation(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 10> abbreviations{
        "mr.", "mrs.", "ms.", "dr.", "st.", "prof.", "jr.", "sr.", "vs.", "mt."};
    const auto word = text.substr(text.find_last_of(ascii_whitespace) + 1);
    return std::ranges::any_of(abbreviations, [word](std::string_view abbreviation) {
        return equals_ignoring_case(word, abbreviation);
    });
}

/// The value of a hexadecimal digit of either case.
[[nodiscard]] constexpr std::optional<unsigned> hex_value(char digit) noexcept {
    if (is_digit(digit)) return static_cast<unsigned>(digit - '0');
    const char lower = ascii_lower(digit);
    if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a') + 10U;
    return std::nullopt;
}

/// Percent-encodes all bytes but letters, digits and "-._~", as RFC 3986 section 2.3 requires.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Empty when a '%' is not followed by two hexadecimal digits. A '+' stays a '+'.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t number);

}  // namespace reelsd
