#pragma once

#include <cstddef>
#include <string_view>

/// Where words and numbers begin and end.
namespace reelsd::model {

constexpr bool is_ascii_digit(char32_t value) noexcept {
    return value >= '0' && value <= '9';
}

constexpr bool is_apostrophe(char32_t value) noexcept {
    return value == '\'' || value == 0x2019;
}

/// Stands between the digits of a number: "2.5", "10:30".
constexpr bool is_number_mark(char32_t value) noexcept {
    return value == '.' || value == ',' || value == ':';
}

/// An invisible character that selects the form of the previous one, such as that of an emoji.
constexpr bool is_variation_selector(char32_t value) noexcept {
    return value >= 0xFE00 && value <= 0xFE0F;
}

/// Whether words of the letter's script are written without spaces.
[[nodiscard]] bool is_of_unspaced_script(char32_t letter);

/// Whether a quotation from the byte `at` of `text` would begin with a part of a word or number:
/// "un|safe", "2.|5". Arabic and Hebrew write short words without a space before the next word.
[[nodiscard]] bool begins_inside_word(std::string_view text, std::size_t at);

/// Whether a quotation up to the byte `at` of `text` would end with a part of a word or number:
/// "can|'t", "10|.50". A unit ("30|pm"), a possessive ("John|'s") and a Korean particle may follow.
[[nodiscard]] bool ends_inside_word(std::string_view text, std::size_t at);

}  // namespace reelsd::model
