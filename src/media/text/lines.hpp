#pragma once

#include "components.hpp"

#include <array>
#include <vector>

namespace reelsd::media::text {

/// Components in a row that may be a line of text.
struct text_line {
    box bounds{};                      ///< Of letters, without dots and accents that were added.
    std::vector<component> letters{};  ///< By left edge; small pieces (dots, commas) last.
    std::size_t letters_tall = 0;      ///< How many of `letters` are not such small pieces.
    std::array<int, 3> colour{};       ///< Mean of the letters', 0-255.
    double glyph_height = 0;           ///< Pixels: of its taller letters.
    double level = 0;                  ///< Mean top-hat value in the letters.
    double open_share = 0;             ///< See `open_edges`.
    double score = 0;                  ///< 0 to 1: how regular it is; see `line_score`.
    int channel = 0;                   ///< The plane that it was found in; see `channel_planes`.
};

inline constexpr int letter_height_min = 9;      ///< Pixels, at a width of 720.
inline constexpr double glyph_height_min = 11;   ///< Pixels: capitals of the smallest captions.
inline constexpr double letter_spread_max = 38;  ///< Standard deviation of a letter's colour.

/// Groups the components of one plane and threshold into lines. Adds pieces that are too small for
/// a letter to the line whose band contains them. Drops lines of a single narrow piece.
[[nodiscard]] std::vector<text_line> group_lines(
    std::vector<component> pieces, const plane& source, const rgb_frame& frame);

/// Similarity of `line` to text, 0 to 1: letters of similar height and colour on a common baseline.
[[nodiscard]] double line_score(const text_line& line);

/// Share of the letters' upper and lower edges beyond which the picture continues in their colour,
/// 0 to 1. Gaps between letters look like letters in the inverted plane, but are open to the
/// background above and below.
[[nodiscard]] double open_edges(const text_line& line, const rgb_frame& frame);

/// Whether two lines of different planes or thresholds are the same: they share most of their area
/// and rows.
[[nodiscard]] bool same_place(const box& a, const box& b);

}  // namespace reelsd::media::text
