#pragma once

#include "plane.hpp"
#include "text_reader.hpp"

#include <array>
#include <vector>

namespace reelsd::media::text {

/// Consecutive pixels of one row; `right` is exclusive.
struct run {
    int y = 0;
    int left = 0;
    int right = 0;
};

/// A connected piece (8 neighbours) of the pixels at or above a threshold.
struct component {
    box bounds{};
    int area = 0;                 ///< Pixels.
    std::vector<run> runs{};      ///< From top to bottom.
    std::array<int, 3> colour{};  ///< Mean red, green and blue of its core, 0-255.
    double spread = 0;  ///< Mean standard deviation of the core's colour: small for a letter.
    double level = 0;   ///< Mean value of the plane in the component.
    double stroke = 0;  ///< Mean width of its strokes, pixels.
};

struct component_limits {
    int height_min = 3;            ///< Pixels: a dot or a dash.
    int height_max = 170;          ///< Pixels: the largest letter with a 31 pixel wide stroke.
    int area_min = 6;              ///< Pixels.
    std::size_t count_max = 4000;  ///< More are texture and are dropped.
};

/// The components of `source` at `threshold` within the limits, by top, without colours.
[[nodiscard]] std::vector<component> find_components(
    const plane& source, std::uint8_t threshold, const component_limits& limits = {});

/// Sets `colour`, `spread`, `level` and `stroke`. The core of a component is where `source` is at
/// least its mean there; the rim is blended with the background.
void measure(component& piece, const plane& source, const rgb_frame& frame);

}  // namespace reelsd::media::text
