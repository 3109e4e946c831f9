#pragma once

#include "plane.hpp"
#include "text_reader.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace reelsd::media::text {

using rgb = std::array<std::uint8_t, 3>;

/// A picture made of rectangles, with letters of straight strokes.
class drawn_picture {
public:
    drawn_picture(int width, int height, rgb ground)
        : width_{width},
          height_{height},
          pixels_(
              std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
        fill({0, 0, width, height}, ground);
    }

    void fill(const box& area, rgb colour) {
        for (int y = area.top; y < area.bottom; ++y) {
            for (int x = area.left; x < area.right; ++x) {
                const auto at = static_cast<std::size_t>(y * width_ + x) * 3;
                for (std::size_t c = 0; c < 3; ++c) pixels_[at + c] = colour[c];
            }
        }
    }

    /// Letters E, F, H, I, L, T and spaces, 24 pixels high and widely spaced, from this corner.
    void write(std::string_view text, int left, int top, rgb colour) {
        for (const char letter : text) {
            if (letter != ' ') letter_at(letter, left, top, colour);
            left += 22;
        }
    }

    [[nodiscard]] rgb_frame frame() const {
        return {pixels_.data(), width_, height_, std::ptrdiff_t{3} * width_};
    }

private:
    void letter_at(char letter, int left, int top, rgb colour) {
        const bool middle_stem = letter == 'T' || letter == 'I';
        const int stem = middle_stem ? left + 6 : left;
        fill({stem, top, stem + 4, top + 24}, colour);
        if (letter == 'H') fill({left + 12, top, left + 16, top + 24}, colour);
        if (letter == 'E' || letter == 'F' || letter == 'T')
            fill({left, top, left + 16, top + 4}, colour);
        if (letter == 'E' || letter == 'F' || letter == 'H')
            fill({left, top + 10, left + 14, top + 14}, colour);
        if (letter == 'E' || letter == 'L') fill({left, top + 20, left + 16, top + 24}, colour);
    }

    int width_;
    int height_;
    std::vector<std::uint8_t> pixels_;
};

inline constexpr rgb white{255, 255, 255};
inline constexpr rgb dark_blue{20, 30, 90};

}  // namespace reelsd::media::text
