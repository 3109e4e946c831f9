#pragma once

#include "image.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace reelsd::media::picture {

/// A rectangle of pixels; `right` and `bottom` are exclusive.
struct box {
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;

    [[nodiscard]] int width() const { return right - left; }
    [[nodiscard]] int height() const { return bottom - top; }
    [[nodiscard]] int area() const { return std::max(0, width()) * std::max(0, height()); }
};

[[nodiscard]] inline box intersection(const box& a, const box& b) {
    return {
        std::max(a.left, b.left),
        std::max(a.top, b.top),
        std::min(a.right, b.right),
        std::min(a.bottom, b.bottom)};
}

/// Share of the smaller rectangle within the other, 0 to 1.
[[nodiscard]] inline double containment(const box& a, const box& b) {
    const int smaller = std::min(a.area(), b.area());
    return smaller == 0 ? 0.0 : static_cast<double>(intersection(a, b).area()) / smaller;
}

/// Whether they are of similar height, and side by side rather than one above the other.
[[nodiscard]] inline bool same_row(const box& a, const box& b) {
    const auto [low, high] = std::minmax({a.height(), b.height()});
    return high < 3 * low && intersection(a, b).height() * 2 >= low;
}

/// A rectangle in pixels. `slant` turns it around its centre, in radians, clockwise on the screen.
struct rotated_box {
    double centre_x = 0;
    double centre_y = 0;
    double width = 0;
    double height = 0;
    double slant = 0;

    /// The smallest upright rectangle that contains it.
    [[nodiscard]] box bounds() const;
};

/// From the left end of the left one to the right end of either.
[[nodiscard]] rotated_box joined(const rotated_box& a, const rotated_box& b);

[[nodiscard]] inline rotated_box area_of(const view& frame) {
    const auto [width, height] = std::pair<double, double>{frame.width, frame.height};
    return {width / 2, height / 2, width, height};
}

struct crop {
    rotated_box area{};  ///< In the frame; what is outside repeats its border.
    int width = 0;       ///< Of the small picture, pixels.
    int height = 0;
};

/// Value of a colour in a model's input: `byte * scale + offset`.
struct normalization {
    float scale = 1;
    float offset = 0;
};

/// Writes blue, green and red as three planes: both models were trained in this order. Resizes
/// `planes`; `channels` are for blue, green and red.
void sample(
    const view& frame, const crop& from, const std::array<normalization, 3>& channels,
    std::vector<float>& planes);

}  // namespace reelsd::media::picture
