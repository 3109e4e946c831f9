#pragma once

#include "../neural/neural_model.hpp"
#include "../picture/sampling.hpp"

#include <span>
#include <vector>

namespace reelsd::media::text {

using picture::rotated_box;

/// Probability that a pixel belongs to the core of a line, row by row.
struct probability_map {
    std::span<const float> values{};
    int width = 0;
    int height = 0;
};

inline constexpr std::size_t lines_max = 40;  ///< In a frame: more is texture.

/// The lines in a map, in its pixels, largest first. The network marks the core of a line, which
/// has about 40 % of its height; the boxes contain the whole letters.
[[nodiscard]] std::vector<rotated_box> boxes_of(const probability_map& map);

/// Joins the parts of wide lines: neighbours of similar height on one row.
[[nodiscard]] std::vector<rotated_box> join_rows(std::vector<rotated_box> boxes);

/// Consecutive rows of a frame; `bottom` is exclusive.
struct rows {
    int top = 0;
    int bottom = 0;
};

/// Finds lines with PP-OCRv4's detection network.
class line_detector {
public:
    explicit line_detector(picture_model network) : network_{std::move(network)} {}

    /// Lines in these rows of the frame. Throws as the network does.
    std::vector<rotated_box> find(const picture::view& frame, rows within);

private:
    picture_model network_;
    std::vector<float> input_;
};

}  // namespace reelsd::media::text
