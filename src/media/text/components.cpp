#include "components.hpp"

#include <cmath>
#include <cstring>
#include <numeric>

namespace reelsd::media::text {

namespace {

/// Below this the bytes of a word cannot hold any pixel of interest: see `next_at_least`.
std::uint64_t word_at(const std::uint8_t* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    return word;
}

/// First x >= from whose pixel is at least `threshold` (at most 128), or `width`.
int next_at_least(const std::uint8_t* row, int from, int width, std::uint8_t threshold) {
    // Adding 128 - threshold to seven bits carries into bit 7 exactly when the seven bits reach the
    // threshold; bit 7 itself means 128 or more. Eight pixels in one step.
    constexpr std::uint64_t high = 0x8080808080808080ULL;
    const std::uint64_t addend = 0x0101010101010101ULL * (128U - threshold);
    int x = from;
    for (; x + 8 <= width; x += 8) {
        const std::uint64_t word = word_at(row + x);
        if ((((word & ~high) + addend) | word) & high) break;
    }
    while (x < width && row[x] < threshold) ++x;
    return x;
}

int scan_start(const std::uint8_t* row, int from, int width, std::uint8_t threshold) {
    if (threshold <= 128) return next_at_least(row, from, width, threshold);
    int x = from;
    for (; x < width; ++x) {
        x = next_at_least(row, x, width, 128);
        if (x >= width || row[x] >= threshold) break;
    }
    return std::min(x, width);
}

class forest {
public:
    int add() {
        parents_.push_back(static_cast<int>(parents_.size()));
        return parents_.back();
    }
    int root(int node) {
        while (at(node) != node) {
            at(node) = at(at(node));
            node = at(node);
        }
        return node;
    }
    void join(int a, int b) {
        a = root(a);
        b = root(b);
        if (a != b) at(std::max(a, b)) = std::min(a, b);
    }
    [[nodiscard]] int size() const { return static_cast<int>(parents_.size()); }

private:
    int& at(int node) { return parents_[static_cast<std::size_t>(node)]; }
    std::vector<int> parents_;
};

struct labelled_runs {
    std::vector<run> runs;  // By row, then by column; the run's index is its node.
    forest nodes;
};

labelled_runs scan(const plane& source, std::uint8_t threshold) {
    labelled_runs found;
    std::size_t above = 0;  // First run of the row above that may be adjacent.
    std::size_t above_end = 0;
    for (int y = 0; y < source.height; ++y) {
        const std::uint8_t* row = source.row(y);
        const std::size_t begin = found.runs.size();
        for (int x = scan_start(row, 0, source.width, threshold); x < source.width;) {
            int right = x + 1;
            while (right < source.width && row[right] >= threshold) ++right;
            const int node = found.nodes.add();
            found.runs.push_back({y, x, right});
            // Diagonal neighbours count, therefore the comparisons include one more pixel.
            while (above < above_end && found.runs[above].right < x) ++above;
            for (std::size_t i = above; i < above_end && found.runs[i].left <= right; ++i) {
                found.nodes.join(static_cast<int>(i), node);
            }
            x = scan_start(row, right, source.width, threshold);
        }
        above = begin;
        above_end = found.runs.size();
    }
    return found;
}

struct extent {
    box bounds{1 << 20, 1 << 20, 0, 0};
    int area = 0;
    int place = -1;  // Index in the result, or -1 when it is dropped.
};

bool keeps(const extent& part, const component_limits& limits) {
    return part.area >= limits.area_min && part.bounds.height() >= limits.height_min &&
           part.bounds.height() <= limits.height_max;
}

/// Twice the area over the length of the outline: exact for a long bar, close for a letter.
double stroke_of(const component& piece) {
    int shared = 0;  // Pixels with a neighbour above.
    std::size_t above = 0;
    for (const run& each : piece.runs) {
        while (piece.runs[above].y < each.y - 1 ||
               (piece.runs[above].y == each.y - 1 && piece.runs[above].right <= each.left)) {
            ++above;
        }
        for (std::size_t i = above;
             piece.runs[i].y == each.y - 1 && piece.runs[i].left < each.right;
             ++i) {
            shared +=
                std::min(each.right, piece.runs[i].right) - std::max(each.left, piece.runs[i].left);
        }
    }
    const double outline =
        2.0 * static_cast<double>(piece.runs.size()) + 2.0 * (piece.area - shared);
    return 2.0 * piece.area / outline;
}

}  // namespace

std::vector<component> find_components(
    const plane& source, std::uint8_t threshold, const component_limits& limits) {
    labelled_runs found = scan(source, threshold);
    std::vector<extent> extents(found.runs.size());
    for (std::size_t i = 0; i < found.runs.size(); ++i) {
        const run& part = found.runs[i];
        auto& whole = extents[static_cast<std::size_t>(found.nodes.root(static_cast<int>(i)))];
        whole.bounds = united(whole.bounds, {part.left, part.y, part.right, part.y + 1});
        whole.area += part.right - part.left;
    }
    std::vector<component> pieces;
    for (std::size_t i = 0; i < found.runs.size(); ++i) {
        auto& whole = extents[static_cast<std::size_t>(found.nodes.root(static_cast<int>(i)))];
        if (!keeps(whole, limits)) continue;
        if (whole.place < 0) {
            if (pieces.size() >= limits.count_max) continue;
            whole.place = static_cast<int>(pieces.size());
            pieces.push_back({.bounds = whole.bounds, .area = whole.area});
        }
        pieces[static_cast<std::size_t>(whole.place)].runs.push_back(found.runs[i]);
    }
    return pieces;
}

void measure(component& piece, const plane& source, const rgb_frame& frame) {
    double total = 0;
    for (const run& part : piece.runs) {
        const std::uint8_t* row = source.row(part.y);
        total += std::accumulate(row + part.left, row + part.right, 0);
    }
    piece.level = total / piece.area;
    piece.stroke = stroke_of(piece);

    std::array<double, 3> sums{};
    std::array<double, 3> squares{};
    double count = 0;
    for (const run& part : piece.runs) {
        const std::uint8_t* row = source.row(part.y);
        const std::uint8_t* pixels = frame.pixels + frame.stride * part.y;
        for (int x = part.left; x < part.right; ++x) {
            if (row[x] < piece.level) continue;
            ++count;
            for (std::size_t c = 0; c < 3; ++c) {
                const double value = pixels[3 * static_cast<std::size_t>(x) + c];
                sums[c] += value;
                squares[c] += value * value;
            }
        }
    }
    piece.spread = 0;
    for (std::size_t c = 0; c < 3; ++c) {
        const double mean = sums[c] / count;
        piece.colour[c] = static_cast<int>(std::lround(mean));
        piece.spread += std::sqrt(std::max(0.0, squares[c] / count - mean * mean)) / 3;
    }
}

}  // namespace reelsd::media::text
