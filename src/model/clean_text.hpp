#pragma once

#include <reelsd/model/findings.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// The whitespace that clean_text() leaves.
inline constexpr std::string_view whitespace = " \n\t";

/// Valid UTF-8 of at most `characters_max` code points, in normalization form C. Broken bytes
/// become U+FFFD, and NUL a space. Removes other control characters than newline and tab, invisible
/// characters that hide or reorder text (zero-width characters, marks of direction, tags), and
/// whitespace at both ends. Joiners remain where they are spelling: inside emoji, and between
/// letters of Arabic and Indic scripts. Idempotent.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t characters_max);

/// clean_text() with spaces instead of newlines and tabs.
[[nodiscard]] std::string clean_line(std::string_view text, std::size_t characters_max);

/// Adds `entry` to `parts`, split into parts of at most item_characters_max, which share its time
/// by their length. Pure.
void add_in_parts(std::vector<timed_text>& parts, const timed_text& entry);

}  // namespace reelsd::model
