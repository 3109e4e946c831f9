#pragma once

#include "plane.hpp"

namespace reelsd::media::text {

/// Side of the square that the top-hat opens with: wider than any stroke of a caption's letters at
/// a frame width of 720 pixels, narrower than most things that are not letters.
inline constexpr int tophat_pixels = 31;

/// White top-hat: pixels that are brighter than their surroundings, in shapes too narrow for a
/// square of `tophat_pixels`. The window is cut off at the border. Reuses its buffers.
class white_tophat {
public:
    /// Resizes `result` to `source`, which must be another plane.
    void apply(const plane& source, plane& result);

private:
    plane eroded_;
    plane opened_;
    std::vector<std::uint8_t> scratch_;
};

}  // namespace reelsd::media::text
