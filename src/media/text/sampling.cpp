#include "sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reelsd::media::text {

namespace {

using colour = std::array<float, 3>;  // Red, green, blue.

/// Adds the colour at a point, between the centres of four pixels.
void add_colour(const rgb_frame& frame, float x, float y, colour& sum) {
    x = std::clamp(x - 0.5F, 0.0F, static_cast<float>(frame.width - 1));
    y = std::clamp(y - 0.5F, 0.0F, static_cast<float>(frame.height - 1));
    const int left = static_cast<int>(x);
    const int top = static_cast<int>(y);
    const float right_share = x - static_cast<float>(left);
    const float lower_share = y - static_cast<float>(top);
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
    // One point for each whole pixel that a pixel of the result covers.
    const int points_x = std::max(1, static_cast<int>(step_x));
    const int points_y = std::max(1, static_cast<int>(step_y));
    const auto cosine = static_cast<float>(std::cos(area.slant));
    const auto sine = static_cast<float>(std::sin(area.slant));
    const auto centre_x = static_cast<float>(area.centre_x);
    const auto centre_y = static_cast<float>(area.centre_y);
    const auto pixels =
        static_cast<std::size_t>(from.width) * static_cast<std::size_t>(from.height);
    planes.resize(3 * pixels);
    const float share = 1.0F / static_cast<float>(points_x * points_y);
    std::size_t at = 0;
    for (int y = 0; y < from.height; ++y) {
        for (int x = 0; x < from.width; ++x, ++at) {
            colour sum{};
            for (int point = 0; point < points_x * points_y; ++point) {
                const double along = x + (point % points_x + 0.5) / points_x;
                const double down = y + (point / points_x + 0.5) / points_y;
                const auto u = static_cast<float>(along * step_x - area.width / 2);
                const auto v = static_cast<float>(down * step_y - area.height / 2);
                add_colour(
                    frame, centre_x + u * cosine - v * sine, centre_y + u * sine + v * cosine, sum);
            }
            for (std::size_t c = 0; c < 3; ++c) {
                const auto& [scale, offset] = channels[c];
                planes[c * pixels + at] = sum[2 - c] * share * scale + offset;
            }
        }
    }
}

}  // namespace reelsd::media::text
