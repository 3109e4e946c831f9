#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reelsd::model {

/// One code point read from text that may not be UTF-8.
struct code_point {
    char32_t value = 0;     ///< U+FFFD for a broken byte.
    std::size_t bytes = 0;  ///< How far to go on; at least 1.
    bool well_formed = true;
};

/// `at` lies inside `text`. Overlong forms, surrogates and cut-off sequences are broken bytes.
[[nodiscard]] code_point read_code_point(std::string_view text, std::size_t at) noexcept;

void append_code_point(std::string& text, char32_t value);

/// Valid UTF-8 of at most `characters_max` code points: broken bytes become U+FFFD; control
/// characters other than newline and tab go, and what cannot be seen but hides or reorders text
/// (zero-width characters, marks of direction, tags), and blanks at both ends. Joiners stay where
/// they are spelling: inside emoji, and between letters of Arabic and Indic scripts. What was
/// cleaned once stays as it is when cleaned again.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t characters_max);

/// Nothing that clean_text() would change but blanks at the ends.
[[nodiscard]] bool is_clean(std::string_view text);

/// The number of code points; broken bytes count one each.
[[nodiscard]] std::size_t character_count(std::string_view text) noexcept;

}  // namespace reelsd::model
