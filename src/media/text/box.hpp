#pragma once

#include <algorithm>

namespace reelsd::media::text {

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

/// Number of common rows.
[[nodiscard]] inline int vertical_overlap(const box& a, const box& b) {
    return std::max(0, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
}

/// Share of the smaller rectangle within the other, 0 to 1.
[[nodiscard]] inline double containment(const box& a, const box& b) {
    const int smaller = std::min(a.area(), b.area());
    return smaller == 0 ? 0.0 : static_cast<double>(intersection(a, b).area()) / smaller;
}

/// The rectangle of a line of text, in pixels. `slant` turns it around its centre, in radians,
/// clockwise on the screen.
struct line_box {
    double centre_x = 0;
    double centre_y = 0;
    double width = 0;
    double height = 0;
    double slant = 0;

    /// The smallest upright rectangle that contains it.
    [[nodiscard]] box bounds() const;
};

}  // namespace reelsd::media::text
