#pragma once

#include "text_reader.hpp"

#include <algorithm>
#include <array>
#include <vector>

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

/// The area of a frame from its row `top` on.
[[nodiscard]] inline line_box rows_of(const rgb_frame& frame, double top, double height) {
    return {frame.width / 2.0, top + height / 2, static_cast<double>(frame.width), height};
}

/// A small picture taken from an area of a frame.
struct crop {
    line_box area{};  ///< In the frame; what is outside repeats its border.
    int width = 0;    ///< Of the small picture, pixels.
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
    const rgb_frame& frame, const crop& from, const std::array<normalization, 3>& channels,
    std::vector<float>& planes);

}  // namespace reelsd::media::text
