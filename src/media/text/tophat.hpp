#pragma once

#include "plane.hpp"

namespace reelsd::media::text {

/// Side of the square that the top-hat opens with: wider than any stroke of a caption's letters at
/// a frame width of 720 pixels, narrower than most things that are not letters.
inline constexpr int tophat_pixels = 31;

/// White top-hat: what is brighter than its surroundings and too narrow for a square of
/// `tophat_pixels`. Near the border the window is cut off there. Keeps its buffers between calls.
class white_tophat {
public:
    /// `result` gets the size of `source`; they must be two planes.
    void apply(const plane& source, plane& result);

private:
    plane eroded_;
    plane opened_;
    std::vector<std::uint8_t> scratch_;
};

}  // namespace reelsd::media::text
