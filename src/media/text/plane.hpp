#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media::text {

/// One byte a pixel, rows without gaps.
struct plane {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;

    plane() = default;
    plane(int wide, int high, std::uint8_t value = 0)
        : width{wide},
          height{high},
          pixels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high), value) {}

    /// Resizes it; the content is unspecified afterwards.
    void resize(int wide, int high) {
        width = wide;
        height = high;
        pixels.resize(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high));
    }
    [[nodiscard]] std::uint8_t* row(int y) { return pixels.data() + offset(y); }
    [[nodiscard]] const std::uint8_t* row(int y) const { return pixels.data() + offset(y); }

private:
    [[nodiscard]] std::size_t offset(int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    }
};

/// A rectangle of pixels; `right` and `bottom` are exclusive.
struct box {
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;

    [[nodiscard]] int width() const { return right - left; }
    [[nodiscard]] int height() const { return bottom - top; }
    [[nodiscard]] int area() const { return std::max(0, width()) * std::max(0, height()); }
    [[nodiscard]] bool operator==(const box&) const = default;
};

[[nodiscard]] inline box intersection(const box& a, const box& b) {
    return {
        std::max(a.left, b.left),
        std::max(a.top, b.top),
        std::min(a.right, b.right),
        std::min(a.bottom, b.bottom)};
}

[[nodiscard]] inline box united(const box& a, const box& b) {
    return {
        std::min(a.left, b.left),
        std::min(a.top, b.top),
        std::max(a.right, b.right),
        std::max(a.bottom, b.bottom)};
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

/// `inner` with `margin` pixels on every side, within a picture of this size.
[[nodiscard]] inline box padded(const box& inner, int margin, int width, int height) {
    return {
        std::max(0, inner.left - margin),
        std::max(0, inner.top - margin),
        std::min(width, inner.right + margin),
        std::min(height, inner.bottom + margin)};
}

}  // namespace reelsd::media::text
