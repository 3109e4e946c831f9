#pragma once

#include "box.hpp"
#include "text_reader.hpp"

#include <array>
#include <vector>

namespace reelsd::media::text {

/// A small picture taken from an area of a frame.
struct crop {
    line_box area{};  ///< In the frame; what is outside repeats its border.
    int width = 0;    ///< Of the small picture, pixels.
    int height = 0;
};

/// The area of a frame from its row `top` on.
[[nodiscard]] inline line_box rows_of(const rgb_frame& frame, double top, double height) {
    return {frame.width / 2.0, top + height / 2, static_cast<double>(frame.width), height};
}

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
