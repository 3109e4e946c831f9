#pragma once

#include "detector.hpp"
#include "recogniser.hpp"

#include <array>
#include <optional>
#include <vector>

namespace reelsd::media::text {

inline constexpr int signature_width = 64;
inline constexpr int signature_height = 12;

/// The letters of a line in a small grid: equal for the same text at any position.
using signature = std::array<float, static_cast<std::size_t>(signature_width* signature_height)>;

[[nodiscard]] signature signature_of(const text_line& line);

/// Pearson's correlation, -1 to 1; 0 when either is uniform.
[[nodiscard]] double correlation(const signature& a, const signature& b);
inline constexpr double same_signature_correlation = 0.75;

/// Data to find a line at the same position in another frame.
struct glyph_template {
    box bounds{};
    std::array<int, 3> colour{};
    std::vector<component> letters{};  ///< Those of letter size.
    std::vector<double> letter_fit{};  ///< Share of each letter's pixels that had the colour.
    double ring_fit = 0;               ///< Share of the pixels around the letters that had it.
};

[[nodiscard]] glyph_template glyph_template_of(const text_line& line, const rgb_frame& frame);

/// Match of a glyph template with a frame.
struct persistence {
    double letters = 0;  ///< Share of the letters that still match.
    int gone = 0;        ///< Letters that do not match.
    bool whole = false;  ///< The text is unchanged.
};

[[nodiscard]] persistence persists(const glyph_template& mark, const rgb_frame& frame);

struct counted_reading {
    line_reading reading{};
    int count = 0;  ///< Readings that gave this text.
};

/// One line over time.
struct track {
    text_line line{};  ///< As last seen by the detector.
    signature mask{};
    glyph_template mark{};
    double first_seconds = 0;
    double last_seconds = 0;
    int sightings = 0;
    int missed = 0;  ///< Frames since it was seen.
    int readings = 0;
    int next_reading = 1;  ///< Number of sightings before the next reading.
    int agreeing = 0;      ///< Readings that gave `best`.
    bool moved = false;
    std::vector<counted_reading> texts{};  ///< Texts of its readings, each once.
    plane steady{};  ///< Least top-hat over time around the line while it does not move.
    box steady_area{};
};

}  // namespace reelsd::media::text
