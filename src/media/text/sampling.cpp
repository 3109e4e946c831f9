#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reelsd::media::text {

namespace {

using colour = std::array<float, 3>;  // Red, green, blue.

/// Adds the colour at a point, between the centres of four pixels.
void add_colour(const rgb_frame& frame, double x, double y, colour& sum) {
    x = std::clamp(x - 0.5, 0.0, frame.width - 1.0);
    y = std::clamp(y - 0.5, 0.0, frame.height - 1.0);
    const int left = static_cast<int>(x);
    const int top = static_cast<int>(y);
    const float right_share = static_cast<float>(x - left);
    const float lower_share = static_cast<float>(y - top);
    const std::uint8_t* upper = frame.pixels + frame.stride * top + std::ptrdiff_t{3} * left;
    const std::uint8_t* lower = top + 1 < frame.height ? upper + frame.stride : upper;
    const std::ptrdiff_t next = left + 1 < frame.width ? 3 : 0;
    for (std::ptrdiff_t c = 0; c < 3; ++c) {
        const float above = static_cast<float>(upper[c]) * (1 - right_share) +
                            static_cast<float>(upper[c + next]) * right_share;
        const float below = static_cast<float>(lower[c]) * (1 - right_share) +
                            static_cast<float>(lower[c + next]) * right_share;
        sum[static_cast<std::size_t>(c)] += above * (1 - lower_share) + below * lower_share;
    }
}

}  // namespace

void sample(
    const rgb_frame& frame, const crop& from, const std::array<normalization, 3>& channels,
    std::vector<float>& planes) {
    const line_box& area = from.area;
    const double step_x = area.width / from.width;
    const double step_y = area.height / from.height;
    // A point for each whole pixel below a pixel of the result.
    const int points_x = std::max(1, static_cast<int>(step_x));
    const int points_y = std::max(1, static_cast<int>(step_y));
    const double cosine = std::cos(area.slant);
    const double sine = std::sin(area.slant);
    const auto pixels =
        static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
    planes.resize(3 * pixels);
    std::size_t at = 0;
    for (int y = 0; y < from.height; ++y) {
        for (int x = 0; x < from.width; ++x, ++at) {
            colour sum{};
            for (int point = 0; point < points_x * points_y; ++point) {
                const double along = x + (point % points_x + 0.5) / points_x;
                const double down = y + (point / points_x + 0.5) / points_y;
                const double u = along * step_x - area.width / 2;
                const double v = down * step_y - area.height / 2;
                const double to_x = area.centre_x + u * cosine - v * sine;
                add_colour(frame, to_x, area.centre_y + u * sine + v * cosine, sum);
            }
            for (std::size_t c = 0; c < 3; ++c) {
                const auto& [scale, offset] = channels[c];
                planes[c * pixels + at] =
                    sum[2 - c] / static_cast<float>(points_x * points_y) * scale + offset;
            }
        }
    }
}

}  // namespace reelsd::media::text
