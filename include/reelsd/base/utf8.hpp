#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// UTF-8 as RFC 3629 defines it: overlong forms, surrogates and values past U+10FFFF are invalid.
namespace reelsd {

inline constexpr char32_t replacement_character = 0xFFFD;

/// One code point of text that may not be valid UTF-8.
struct code_point {
    char32_t value = replacement_character;  ///< replacement_character for an invalid byte.
    std::size_t bytes = 1;                   ///< Length in the text; 1 for an invalid byte.
    bool valid = false;
};

/// The code point at `at`, which must be less than `text.size()`.
[[nodiscard]] code_point code_point_at(std::string_view text, std::size_t at) noexcept;

/// `value` must be a Unicode scalar value.
void append_code_point(std::string& text, char32_t value);

/// An invalid byte is U+FFFD.
[[nodiscard]] std::u32string code_points_of(std::string_view text);
/// All of `points` must be Unicode scalar values.
[[nodiscard]] std::string utf8_of(std::u32string_view points);

/// The number of code points; each invalid byte counts as one.
[[nodiscard]] std::size_t code_point_count(std::string_view text) noexcept;

/// The longest beginning of valid `text` that has at most `bytes_max` bytes and ends with a whole
/// code point.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept;

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// The text in normalization form C, in which an accent and its letter are one code point where
/// there is one. Text that is not UTF-8 is returned unchanged.
[[nodiscard]] std::string composed(std::string_view text);

/// Columns of one character in a fixed-width font, from its East Asian Width and whether it
/// combines: 0 to 2. Characters without a glyph count as 1.
[[nodiscard]] int column_width(char32_t character) noexcept;

}  // namespace reelsd
