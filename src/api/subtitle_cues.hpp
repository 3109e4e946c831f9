#pragma once

#include <chrono>
#include <cstdint>
#include <string>
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

/// What somebody says, as a result has it: foreign text, any length, any times.
struct spoken_text {
    std::string text;  ///< UTF-8.
    double start_seconds = 0.0;
    double end_seconds = 0.0;
};

/// What is shown of it for a while.
struct subtitle_cue {
    std::chrono::milliseconds begin{0};
    std::chrono::milliseconds end{0};  ///< After `begin`.
    /// One or two, none of them empty, each at most subtitle_line_width wide; without control
    /// characters.
    std::vector<std::string> lines;
};

/// In columns: wide characters (Chinese, Japanese, Korean, emoji) take two. What people are used to
/// from films.
inline constexpr int subtitle_line_width = 42;

/// The cues in the order in which they begin. What is too long for one cue is shared among several,
/// cut where a sentence ends if that is near, each for its share of the time. Nothing is left out:
/// what is said in no time at all is shown for a second, or until something else is said. Cues
/// overlap where people speak at the same time. Pure.
[[nodiscard]] std::vector<subtitle_cue> subtitle_cues(const std::vector<spoken_text>& spoken);

}  // namespace reelsd::api
