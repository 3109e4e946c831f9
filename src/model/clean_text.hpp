#pragma once

#include <reelsd/base/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace reelsd::model {

/// The whitespace that clean_text() leaves.
inline constexpr std::string_view whitespace = " \n\t";

/// Valid UTF-8 of at most `characters_max` code points. Broken bytes become U+FFFD. Removes control
/// characters other than newline and tab, invisible characters that hide or reorder text
/// (zero-width characters, marks of direction, tags), and whitespace at both ends. Joiners remain
/// where they are spelling: inside emoji, and between letters of Arabic and Indic scripts.
/// Idempotent.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t characters_max);

/// Calls `use` with each code point of the text; an invalid byte is U+FFFD.
template <class Use>
void for_each_code_point(std::string_view text, const Use& use) {
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        use(read.value);
    }
}

}  // namespace reelsd::model
