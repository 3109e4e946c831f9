#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reelsd::media::text {

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

/// Adds the colour of a point of the frame.
void add_point(const rgb_frame& frame, const tap& x, const tap& y, colour& sum) {
    const std::uint8_t* upper = frame.pixels + frame.stride * y.first;
    const std::uint8_t* lower = frame.pixels + frame.stride * y.second;
    for (std::ptrdiff_t c = 0; c < 3; ++c) {
        const auto mix = [&](const std::uint8_t* row) {
            return static_cast<float>(row[3 * x.first + c]) * (1 - x.share) +
                   static_cast<float>(row[3 * x.second + c]) * x.share;
        };
        sum[static_cast<std::size_t>(c)] += mix(upper) * (1 - y.share) + mix(lower) * y.share;
    }
}

/// The number of points on one axis below a pixel of the result: each covers two pixels.
int points_of(double step) {
    return std::max(1, static_cast<int>(step / 2 + 0.5));
}

}  // namespace

void sample(
    const rgb_frame& frame, const crop& from, const std::array<normalization, 3>& channels,
    std::vector<float>& planes) {
    const line_box& area = from.area;
    const auto pixels =
        static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
    planes.resize(3 * pixels);
    const int across = points_of(area.width / from.width);
    const int down = points_of(area.height / from.height);
    const double step_across = area.width / (from.width * across);
    const double step_down = area.height / (from.height * down);
    const double cosine = std::cos(area.slant);
    const double sine = std::sin(area.slant);
    std::size_t index = 0;
    for (int row = 0; row < from.height * down; row += down) {
        for (int column = 0; column < from.width * across; column += across, ++index) {
            colour sum{};
            for (int point = 0; point < across * down; ++point) {
                const double u = (column + point % across + 0.5) * step_across - area.width / 2;
                const double v = (row + point / across + 0.5) * step_down - area.height / 2;
                const tap x = tap_at(area.centre_x + u * cosine - v * sine, frame.width);
                const tap y = tap_at(area.centre_y + u * sine + v * cosine, frame.height);
                add_point(frame, x, y, sum);
            }
            const auto count = static_cast<float>(across * down);
            for (std::size_t c = 0; c < 3; ++c) {
                planes[c * pixels + index] =
                    sum[2 - c] / count * channels[c].scale + channels[c].offset;
            }
        }
    }
}

}  // namespace reelsd::media::text
