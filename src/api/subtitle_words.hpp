#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace reelsd::api {

/// What a word's last character ends.
enum class word_end : std::uint8_t { nothing, clause, sentence };

/// What no line is broken within. A view into the text that it was found in.
struct subtitle_word {
    std::string_view text;
    int width = 0;               ///< Columns.
    bool follows_blank = false;  ///< Else it belongs to the word before it.
    word_end ends = word_end::nothing;
};

/// The words of a UTF-8 text, without blanks, line breaks and control characters between them. A
/// word wider than `width_max` comes in several parts. Pure.
[[nodiscard]] std::vector<subtitle_word> subtitle_words(std::string_view text, int width_max);

}  // namespace reelsd::api
