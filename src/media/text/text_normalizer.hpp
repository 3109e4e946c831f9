#pragma once

#include "recogniser.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::media::text {

/// Typographic quotes, dashes and ellipses as their ASCII forms; other text unchanged.
[[nodiscard]] std::string plain_punctuation(std::string_view text);

/// 1 - edit distance / length of the longer one, over bytes; 1 for two empty texts.
[[nodiscard]] double similarity(std::string_view a, std::string_view b);

/// Two readings of one text: `same_text_similarity` or more, and no digit against another digit
/// ("Part 1" and "Part 2" are two texts).
[[nodiscard]] bool same_text(std::string_view a, std::string_view b);
inline constexpr double same_text_similarity = 0.78;

/// `longer` begins with (about) `shorter` and has more words: a caption that grows word by word.
[[nodiscard]] bool grows_into(std::string_view shorter, std::string_view longer);

/// `whole` contains (about) `part` at word boundaries, and more.
[[nodiscard]] bool is_part_of(std::string_view part, std::string_view whole);

/// How often a text was seen; more sightings need less confidence.
struct evidence {
    int sightings = 1;   ///< Frames.
    int agreeing = 1;    ///< Readings that gave the same text.
    double letters = 0;  ///< Pieces of letter size that were found in the line.
};

/// The accepted words of `reading` and their confidence.
struct vetted_text {
    std::string text{};     ///< Empty when nothing is accepted.
    double confidence = 0;  ///< 0 to 100, of what was kept.
};

/// Drops noise at the ends, and the whole line if the rest has too little confidence.
class ocr_filter {
public:
    /// `knows(word)` asks the dictionary, for a word without punctuation at its ends.
    explicit ocr_filter(std::function<bool(std::string_view)> knows) : knows_{std::move(knows)} {}
    [[nodiscard]] vetted_text filter(const line_reading& reading, const evidence& seen) const;

    /// Whether every word is a number or in the dictionary, so that no second reading is needed.
    [[nodiscard]] bool trusts(const line_reading& reading) const;

private:
    /// Replaces a digit within a word by a letter, if that gives a word.
    void correct_digits(std::string& word) const;
    /// Whether the word `text`, read as `reading`, exists.
    [[nodiscard]] bool is_known(const word_reading& reading, std::string_view text) const;

    std::function<bool(std::string_view)> knows_;
};

}  // namespace reelsd::media::text
