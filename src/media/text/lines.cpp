#include "lines.hpp"

#include <cmath>
#include <cstdlib>

namespace reelsd::media::text {

namespace {

/// Relative to the height of a line's band; measured on captions of 28 to 110 pixels.
constexpr double gap_max = 0.95;         // Between neighbours: a word space of a monospaced font.
constexpr double segment_gap_max = 1.5;  // Between two pieces of a line that were built separately.
constexpr int colour_distance_max = 60;  // Of the 255 of a channel.

int colour_distance(const std::array<int, 3>& a, const std::array<int, 3>& b) {
    int most = 0;
    for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(a[c] - b[c]));
    return most;
}

/// A line while letters are added to it.
struct open_line {
    box bounds;
    int tallest = 0;
    std::array<int, 3> colour{};
    std::vector<std::size_t> members;
    bool closed = false;
};

/// Whether `next` can be the letter after the last of `line`.
bool continues(const open_line& line, const component& next) {
    const int height = next.bounds.height();
    const int band = line.bounds.height();
    const int gap = next.bounds.left - line.bounds.right;
    if (gap > gap_max * std::max(band, height) || gap < -band / 2) return false;
    if (vertical_overlap(line.bounds, next.bounds) * 10 < 6 * std::min(band, height)) return false;
    if (height * 5 < line.tallest * 2 || line.tallest * 5 < height * 2) return false;
    if (united(line.bounds, next.bounds).height() * 10 > 16 * std::max(line.tallest, height)) {
        return false;
    }
    return colour_distance(line.colour, next.colour) <= colour_distance_max;
}

void append(open_line& line, const component& next, std::size_t index) {
    if (line.members.empty()) {
        line.bounds = next.bounds;
        line.colour = next.colour;
    }
    line.bounds = united(line.bounds, next.bounds);
    line.tallest = std::max(line.tallest, next.bounds.height());
    const int count = static_cast<int>(line.members.size());
    for (std::size_t c = 0; c < 3; ++c) {
        line.colour[c] = (line.colour[c] * count + next.colour[c]) / (count + 1);
    }
    line.members.push_back(index);
}

/// Left to right: adds each letter to the nearest line that it continues, or starts a line.
std::vector<open_line> grow(const std::vector<component>& letters) {
    std::vector<open_line> lines;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const component& next = letters[i];
        open_line* nearest = nullptr;
        int best = 1 << 20;
        std::erase_if(open, [&](std::size_t at) {
            return next.bounds.left - lines[at].bounds.right >
                   200;  // Past any gap of a 170 px band.
        });
        for (const std::size_t at : open) {
            const int distance = std::abs(next.bounds.left - lines[at].bounds.right) +
                                 std::abs(next.bounds.bottom - lines[at].bounds.bottom);
            if (distance < best && continues(lines[at], next)) {
                best = distance;
                nearest = &lines[at];
            }
        }
        if (nearest == nullptr) {
            open.push_back(lines.size());
            nearest = &lines.emplace_back();
        }
        append(*nearest, next, i);
    }
    return lines;
}

bool same_row(const open_line& a, const open_line& b) {
    const int low = std::min(a.bounds.height(), b.bounds.height());
    const int high = std::max(a.bounds.height(), b.bounds.height());
    const int gap =
        std::max(a.bounds.left, b.bounds.left) - std::min(a.bounds.right, b.bounds.right);
    return gap <= segment_gap_max * low && high <= 2 * low &&
           vertical_overlap(a.bounds, b.bounds) * 10 >= 7 * low &&
           united(a.bounds, b.bounds).height() * 10 <= 15 * std::max(a.tallest, b.tallest) &&
           colour_distance(a.colour, b.colour) <= colour_distance_max;
}

/// Joins pieces of one row (a wide space, a letter out of bounds).
void join_segments(std::vector<open_line>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].closed || lines[i].members.size() < 2) continue;
        for (std::size_t j = 0; j < lines.size(); ++j) {
            if (i == j || lines[j].closed || !same_row(lines[i], lines[j])) continue;
            lines[i].bounds = united(lines[i].bounds, lines[j].bounds);
            lines[i].tallest = std::max(lines[i].tallest, lines[j].tallest);
            lines[i].members.insert(
                lines[i].members.end(), lines[j].members.begin(), lines[j].members.end());
            lines[j].closed = true;
        }
    }
}

/// The height that 3 of 4 letters do not exceed: about that of capitals.
double upper_height(const std::vector<component>& letters) {
    std::vector<int> heights;
    heights.reserve(letters.size());
    for (const component& one : letters) heights.push_back(one.bounds.height());
    const auto at = heights.begin() + static_cast<std::ptrdiff_t>(heights.size() * 3 / 4);
    std::nth_element(heights.begin(), at, heights.end());
    return *at;
}

text_line finished(const open_line& grown, const std::vector<component>& letters) {
    text_line line{.bounds = grown.bounds};
    for (const std::size_t member : grown.members) line.letters.push_back(letters[member]);
    std::sort(line.letters.begin(), line.letters.end(), [](const auto& a, const auto& b) {
        return a.bounds.left < b.bounds.left;
    });
    line.letters_tall = line.letters.size();
    double area = 0;
    std::array<double, 3> colour{};
    for (const component& piece : line.letters) {
        area += piece.area;
        line.level += piece.level * piece.area;
        for (std::size_t c = 0; c < 3; ++c) colour[c] += piece.colour[c] * double{1} * piece.area;
    }
    line.level /= area;
    for (std::size_t c = 0; c < 3; ++c) {
        line.colour[c] = static_cast<int>(std::lround(colour[c] / area));
    }
    line.glyph_height = upper_height(line.letters);
    return line;
}

/// Dots, commas, dashes and quotes: in the band of the line, next to its letters.
void add_small_pieces(
    text_line& line, const std::vector<component>& small, const plane& source,
    const rgb_frame& frame) {
    const int above = static_cast<int>(line.glyph_height * 0.35);
    const int margin = static_cast<int>(line.glyph_height * 0.6);
    double stroke = 0;
    for (std::size_t i = 0; i < line.letters_tall; ++i) stroke += line.letters[i].stroke;
    stroke /= static_cast<double>(line.letters_tall);
    const box band{
        line.bounds.left - margin,
        line.bounds.top - above,
        line.bounds.right + margin,
        line.bounds.bottom + above};
    for (const component& candidate : small) {
        if (candidate.bounds.height() > 0.5 * line.glyph_height) continue;
        if (intersection(candidate.bounds, band) != candidate.bounds) continue;
        // Of the same stroke width.
        const int thin = std::min(candidate.bounds.width(), candidate.bounds.height());
        if (thin < 0.45 * stroke || thin > 2.2 * stroke + 1) continue;
        component piece = candidate;
        measure(piece, source, frame);
        if (colour_distance(piece.colour, line.colour) > colour_distance_max + 20) continue;
        line.letters.push_back(std::move(piece));
    }
}

/// Letters have strokes of a common width, from a hairline to a third of their height.
bool strokes_alike(const text_line& line) {
    double mean = 0;
    for (std::size_t i = 0; i < line.letters_tall; ++i) mean += line.letters[i].stroke;
    mean /= static_cast<double>(line.letters_tall);
    double off = 0;
    for (std::size_t i = 0; i < line.letters_tall; ++i) {
        off += std::abs(line.letters[i].stroke - mean);
    }
    off /= static_cast<double>(line.letters_tall) * mean;
    const double share = mean / line.glyph_height;
    return share >= 0.07 && share <= 0.36 && off <= 0.45;
}

/// Lines of few letters are more often texture: in clips without text, nine of ten lines have one
/// or two pieces.
bool worth_reading(const text_line& line) {
    if (line.glyph_height < glyph_height_min || !strokes_alike(line)) return false;
    const int width = line.bounds.width();
    const int height = line.bounds.height();
    switch (line.letters_tall) {
        // One piece may be a whole word of a connected script, or letters that touch.
        case 1: return width >= 2.2 * height && line.level >= 95;
        case 2: return width >= height && line.level >= 85 && line.score >= 0.45;
        case 3: return width >= height && line.level >= 60 && line.score >= 0.45;
        default: return line.score >= 0.45;
    }
}

constexpr double open_share_max = 0.4;
constexpr int edge_reach = 3;       // Pixels beyond an edge, past its soft rim.
constexpr int edge_tolerance = 36;  // Of the 255 of a channel.

/// Mask of the line's letters in its bounds.
plane ink_of(const text_line& line) {
    plane ink{line.bounds.width(), line.bounds.height()};
    for (std::size_t i = 0; i < line.letters_tall; ++i) {
        for (const run& each : line.letters[i].runs) {
            std::uint8_t* row = ink.row(each.y - line.bounds.top);
            std::fill(
                row + each.left - line.bounds.left,
                row + each.right - line.bounds.left,
                std::uint8_t{1});
        }
    }
    return ink;
}

bool is_ink(const plane& ink, int x, int y) {
    return y >= 0 && y < ink.height && ink.row(y)[x] != 0;
}

/// Number of upper and lower edges of letters, and of open ones.
struct edge_tally {
    int all = 0;
    int open = 0;
};

/// Compares colours beyond the letters' edges in row `y` of `ink`: above with `step` -1, below
/// with 1.
void look_beyond(
    const text_line& line, const rgb_frame& frame, const plane& ink, int y, int step,
    edge_tally& edges) {
    const int beyond = line.bounds.top + y + step * edge_reach;
    if (beyond < 0 || beyond >= frame.height) return;
    const std::uint8_t* row =
        frame.pixels + frame.stride * beyond + std::ptrdiff_t{3} * line.bounds.left;
    for (int x = 0; x < ink.width; ++x) {
        if (!is_ink(ink, x, y)) continue;
        if (is_ink(ink, x, y + step) || is_ink(ink, x, y + step * edge_reach)) continue;
        const std::uint8_t* pixel = row + std::ptrdiff_t{3} * x;
        const std::array<int, 3> colour{pixel[0], pixel[1], pixel[2]};
        ++edges.all;
        edges.open += colour_distance(colour, line.colour) <= edge_tolerance ? 1 : 0;
    }
}

bool letter_like(const component& piece) {
    const int height = piece.bounds.height();
    const int width = piece.bounds.width();
    if (piece.spread > letter_spread_max || width > 12 * height) return false;
    // A filled rectangle is a letter only if it is narrow (an l or an I).
    const double filled = static_cast<double>(piece.area) / piece.bounds.area();
    if (filled > 0.93 && width * 2 > height) return false;
    // Frames and long thin curves have a low fill.
    return filled > 0.09;
}

}  // namespace

double line_score(const text_line& line) {
    const std::size_t count = line.letters_tall;
    double on_baseline = 0;
    double spread = 0;
    for (std::size_t i = 0; i < count; ++i) {
        // A neighbour at the same top or bottom: letters share both, texture shares neither.
        double nearest = 1;
        for (std::size_t j = i > 2 ? i - 2 : 0; j < std::min(count, i + 3); ++j) {
            if (i == j) continue;
            const box& a = line.letters[i].bounds;
            const box& b = line.letters[j].bounds;
            const int off = std::min(std::abs(a.bottom - b.bottom), std::abs(a.top - b.top));
            nearest = std::min(nearest, off / line.glyph_height);
        }
        on_baseline += nearest <= 0.12 ? 1 : 0;
        spread += line.letters[i].spread;
    }
    on_baseline /= static_cast<double>(count);
    spread /= static_cast<double>(count);
    const double many = std::min(1.0, static_cast<double>(count) / 6);
    return on_baseline * (0.4 + 0.6 * many) * (1 - spread / (2 * letter_spread_max));
}

double open_edges(const text_line& line, const rgb_frame& frame) {
    const plane ink = ink_of(line);
    edge_tally edges;
    for (int y = 0; y < ink.height; ++y) {
        for (const int step : {-1, 1}) look_beyond(line, frame, ink, y, step, edges);
    }
    return edges.all == 0 ? 0.0 : static_cast<double>(edges.open) / edges.all;
}

std::vector<text_line> group_lines(
    std::vector<component> pieces, const plane& source, const rgb_frame& frame) {
    std::vector<component> letters;
    std::vector<component> small;
    for (component& piece : pieces) {
        if (piece.bounds.height() < letter_height_min) {
            small.push_back(std::move(piece));
            continue;
        }
        measure(piece, source, frame);
        if (letter_like(piece)) letters.push_back(std::move(piece));
    }
    std::sort(letters.begin(), letters.end(), [](const auto& a, const auto& b) {
        return a.bounds.left < b.bounds.left;
    });
    std::vector<open_line> grown = grow(letters);
    join_segments(grown);
    std::vector<text_line> lines;
    for (const open_line& piece : grown) {
        if (piece.closed) continue;
        text_line line = finished(piece, letters);
        line.score = line_score(line);
        if (!worth_reading(line)) continue;
        line.open_share = open_edges(line, frame);
        if (line.open_share > open_share_max) continue;
        add_small_pieces(line, small, source, frame);
        // In large type, dots and quotes are as high as small letters.
        add_small_pieces(line, letters, source, frame);
        lines.push_back(std::move(line));
    }
    return lines;
}

bool same_place(const box& a, const box& b) {
    const int low = std::min(a.height(), b.height());
    return containment(a, b) > 0.6 && vertical_overlap(a, b) * 10 >= 6 * low;
}

}  // namespace reelsd::media::text
