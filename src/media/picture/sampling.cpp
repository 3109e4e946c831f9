#include "sampling.hpp"

#include <cmath>
#include <cstddef>

// Halves the time on processors with AVX2. Without FMA, the results are the same.
#ifdef __x86_64__
#define REELSD_WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define REELSD_WITH_AVX2
#endif

namespace reelsd::media::picture {

namespace {

using colour = std::array<float, 3>;  // Red, green, blue.

/// A position between the centres of two neighbours on one axis.
struct tap {
    std::ptrdiff_t first = 0;
    std::ptrdiff_t second = 0;
    float share = 0;  ///< Of the second.
};

tap tap_at(double position, int size) {
    position = std::clamp(position - 0.5, 0.0, size - 1.0);
    const int first = static_cast<int>(position);
    return {first, std::min(first + 1, size - 1), static_cast<float>(position - first)};
}

/// `count * points` steps from `start` on.
std::vector<tap> taps_of(double start, double step, int count, int points, int size) {
    std::vector<tap> taps;
    for (int at = 0; at < count * points; ++at)
        taps.push_back(tap_at(start + (at + 0.5) * step / points, size));
    return taps;
}

/// The number of points on one axis below a pixel of the result: one for each whole pixel.
int points_of(double step) {
    return std::max(1, static_cast<int>(step));
}

/// Calls `take(index, sum)` for each pixel of the small picture of an upright area.
template <class Take>
[[gnu::always_inline]] inline void sample_upright(
    const view& frame, const crop& from, int across, int down, Take take) {
    const rotated_box& area = from.area;
    const auto columns = taps_of(
        area.centre_x - area.width / 2, area.width / from.width, from.width, across, frame.width);
    const auto rows = taps_of(
        area.centre_y - area.height / 2,
        area.height / from.height,
        from.height,
        down,
        frame.height);
    const auto begin = static_cast<std::size_t>(3 * columns.front().first);
    const auto end = static_cast<std::size_t>(3 * (columns.back().second + 1));
    std::vector<float> sums(end);  // Of the rows below a row of the result.
    std::size_t index = 0;
    for (auto row = rows.begin(); row != rows.end();) {
        std::fill(sums.begin(), sums.end(), 0.0F);
        for (int point = 0; point < down; ++point, ++row) {
            const std::uint8_t* upper = frame.pixels + frame.stride * row->first;
            const std::uint8_t* lower = frame.pixels + frame.stride * row->second;
            const float share = row->share;
            for (std::size_t at = begin; at < end; ++at)
                sums[at] += static_cast<float>(upper[at]) * (1 - share) +
                            static_cast<float>(lower[at]) * share;
        }
        for (auto column = columns.begin(); column != columns.end(); ++index) {
            colour sum{};
            for (int point = 0; point < across; ++point, ++column) {
                const float* left = sums.data() + 3 * column->first;
                const float* right = sums.data() + 3 * column->second;
                for (std::size_t c = 0; c < 3; ++c)
                    sum[c] += left[c] * (1 - column->share) + right[c] * column->share;
            }
            take(index, sum);
        }
    }
}

/// As sample_upright(), at any slant.
template <class Take>
void sample_slanted(const view& frame, const crop& from, int across, int down, Take take) {
    const rotated_box& area = from.area;
    const double cosine = std::cos(area.slant);
    const double sine = std::sin(area.slant);
    for (int index = 0; index < from.width * from.height; ++index) {
        colour sum{};
        for (int point = 0; point < across * down; ++point) {
            const double along = index % from.width + (point % across + 0.5) / across;
            const double below = index / from.width + (point / across + 0.5) / down;
            const double u = along * area.width / from.width - area.width / 2;
            const double v = below * area.height / from.height - area.height / 2;
            const tap x = tap_at(area.centre_x + u * cosine - v * sine, frame.width);
            const tap y = tap_at(area.centre_y + u * sine + v * cosine, frame.height);
            for (const auto& [row, weight] :
                 {std::pair{y.first, 1 - y.share}, {y.second, y.share}}) {
                const std::uint8_t* pixels = frame.pixels + frame.stride * row;
                for (std::ptrdiff_t c = 0; c < 3; ++c)
                    sum[static_cast<std::size_t>(c)] +=
                        (static_cast<float>(pixels[3 * x.first + c]) * (1 - x.share) +
                         static_cast<float>(pixels[3 * x.second + c]) * x.share) *
                        weight;
            }
        }
        take(static_cast<std::size_t>(index), sum);
    }
}

}  // namespace

rotated_box joined(const rotated_box& a, const rotated_box& b) {
    const rotated_box& left = a.centre_x < b.centre_x ? a : b;
    const rotated_box& right = &left == &a ? b : a;
    const double begin = left.centre_x - left.width / 2;
    const double end = std::max(left.centre_x + left.width / 2, right.centre_x + right.width / 2);
    const double share = right.width / (left.width + right.width);
    return {
        .centre_x = (begin + end) / 2,
        .centre_y = left.centre_y + (right.centre_y - left.centre_y) * share,
        .width = end - begin,
        .height = std::max(a.height, b.height),
        .slant = left.slant + (right.slant - left.slant) * share};
}

box rotated_box::bounds() const {
    const double across = (width * std::cos(slant) + height * std::abs(std::sin(slant))) / 2;
    const double down = (width * std::abs(std::sin(slant)) + height * std::cos(slant)) / 2;
    return {
        static_cast<int>(std::floor(centre_x - across)),
        static_cast<int>(std::floor(centre_y - down)),
        static_cast<int>(std::ceil(centre_x + across)),
        static_cast<int>(std::ceil(centre_y + down))};
}

REELSD_WITH_AVX2 void sample(
    const view& frame, const crop& from, const std::array<normalization, 3>& channels,
    std::vector<float>& planes) {
    const auto pixels =
        static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
    planes.resize(3 * pixels);
    const int across = points_of(from.area.width / from.width);
    const int down = points_of(from.area.height / from.height);
    const auto take = [&](std::size_t index, const colour& sum) {
        for (std::size_t c = 0; c < 3; ++c) {
            const auto& [scale, offset] = channels[c];
            planes[c * pixels + index] =
                sum[2 - c] / static_cast<float>(across * down) * scale + offset;
        }
    };
    if (from.area.slant == 0) {
        sample_upright(frame, from, across, down, take);
    } else {
        sample_slanted(frame, from, across, down, take);
    }
}

}  // namespace reelsd::media::picture
