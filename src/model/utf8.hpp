#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reelsd::model {

/// The blanks that clean_text() leaves.
inline constexpr std::string_view blanks = " \n\t";

/// Valid UTF-8 of at most `characters_max` code points: broken bytes become U+FFFD; control
/// characters other than newline and tab go, and what cannot be seen but hides or reorders text
/// (zero-width characters, marks of direction, tags), and blanks at both ends. Joiners stay where
/// they are spelling: inside emoji, and between letters of Arabic and Indic scripts. What was
/// cleaned once stays as it is when cleaned again.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t characters_max);

}  // namespace reelsd::model
