#include "track.hpp"

#include <cmath>
#include <cstdlib>

namespace reelsd::media::text {

namespace {

/// Compression moves the colour of a still letter by less than this; another background by more.
constexpr int colour_tolerance = 36;      // Of the 255 of a channel.
constexpr int ring_distance = 3;          // Pixels from a letter's edge, past its soft rim.
constexpr double letter_kept_min = 0.72;  // Of the letter's fit at detection.
constexpr double ring_growth_max = 0.35;

bool has_colour(const std::uint8_t* pixel, const std::array<int, 3>& colour) {
    int most = 0;
    for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(pixel[c] - colour[c]));
    return most <= colour_tolerance;
}

const std::uint8_t* pixel_at(const rgb_frame& frame, int x, int y) {
    return frame.pixels + frame.stride * y + std::ptrdiff_t{3} * x;
}

double letter_fit(
    const component& letter, const std::array<int, 3>& colour, const rgb_frame& frame) {
    int hits = 0;
    for (const run& each : letter.runs) {
        const std::uint8_t* pixel = pixel_at(frame, each.left, each.y);
        for (int x = each.left; x < each.right; ++x, pixel += 3)
            hits += has_colour(pixel, colour) ? 1 : 0;
    }
    return static_cast<double>(hits) / letter.area;
}

/// Number of compared pixels, and of those with the colour.
struct colour_tally {
    int pixels = 0;
    int hits = 0;
};

/// Compares the pixels left and right of one run of a letter.
void count_hits(
    const run& stroke, const std::array<int, 3>& colour, const rgb_frame& frame,
    colour_tally& ring) {
    for (const int x : {stroke.left - ring_distance, stroke.right - 1 + ring_distance}) {
        if (x < 0 || x >= frame.width) continue;
        ++ring.pixels;
        ring.hits += has_colour(pixel_at(frame, x, stroke.y), colour) ? 1 : 0;
    }
}

/// Share of the pixels left and right of the letters' strokes that have their colour: text
/// contrasts with its surroundings, a surface does not.
double ring_fit(
    const std::vector<component>& letters, const std::array<int, 3>& colour,
    const rgb_frame& frame) {
    colour_tally ring;
    for (const component& letter : letters) {
        for (const run& each : letter.runs) count_hits(each, colour, frame, ring);
    }
    return ring.pixels == 0 ? 0.0 : static_cast<double>(ring.hits) / ring.pixels;
}

}  // namespace

signature signature_of(const text_line& line) {
    constexpr std::size_t width = signature_width;
    signature cells{};
    const double across = static_cast<double>(signature_width) / line.bounds.width();
    const double down = static_cast<double>(signature_height) / line.bounds.height();
    for (std::size_t i = 0; i < line.letters_tall; ++i) {
        for (const run& each : line.letters[i].runs) {
            const auto row = static_cast<std::size_t>(std::min(
                signature_height - 1, static_cast<int>((each.y - line.bounds.top) * down)));
            const double from = (each.left - line.bounds.left) * across;
            const double to = (each.right - line.bounds.left) * across;
            // Spread over the cells that it covers, in proportion.
            for (int cell = static_cast<int>(from); cell < signature_width && cell < to; ++cell) {
                const double part = std::min(to, cell + 1.0) - std::max(from, double{1} * cell);
                cells[row * width + static_cast<std::size_t>(cell)] += static_cast<float>(part);
            }
        }
    }
    return cells;
}

double correlation(const signature& a, const signature& b) {
    double sum_a = 0;
    double sum_b = 0;
    double aa = 0;
    double bb = 0;
    double ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = a[i];
        const double y = b[i];
        sum_a += x;
        sum_b += y;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    const auto count = static_cast<double>(a.size());
    const double var_a = aa - sum_a * sum_a / count;
    const double var_b = bb - sum_b * sum_b / count;
    if (var_a <= 1e-6 || var_b <= 1e-6) return 0;
    return (ab - sum_a * sum_b / count) / std::sqrt(var_a * var_b);
}

glyph_template glyph_template_of(const text_line& line, const rgb_frame& frame) {
    glyph_template mark{.bounds = line.bounds, .colour = line.colour};
    mark.letters.assign(
        line.letters.begin(),
        line.letters.begin() + static_cast<std::ptrdiff_t>(line.letters_tall));
    for (const component& letter : mark.letters) {
        mark.letter_fit.push_back(letter_fit(letter, mark.colour, frame));
    }
    mark.ring_fit = ring_fit(mark.letters, mark.colour, frame);
    return mark;
}

persistence persists(const glyph_template& mark, const rgb_frame& frame) {
    persistence seen;
    for (std::size_t i = 0; i < mark.letters.size(); ++i) {
        const double fit = letter_fit(mark.letters[i], mark.colour, frame);
        // A letter that never fitted well is ignored.
        if (fit < letter_kept_min * std::max(0.4, mark.letter_fit[i])) ++seen.gone;
    }
    const auto count = static_cast<double>(mark.letters.size());
    seen.letters = 1 - seen.gone / count;
    const double ring = ring_fit(mark.letters, mark.colour, frame);
    seen.whole = seen.gone == 0 && ring <= mark.ring_fit + ring_growth_max && ring < 0.7;
    return seen;
}

}  // namespace reelsd::media::text
