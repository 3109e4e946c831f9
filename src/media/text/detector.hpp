#pragma once

#include "lines.hpp"
#include "tophat.hpp"

#include <array>
#include <vector>

namespace reelsd::media::text {

/// Luma finds light letters, inverted luma dark ones, and the smallest of red, green and blue white
/// ones on coloured ground (without it a seventh of all lines is lost).
inline constexpr std::size_t channel_count = 3;

struct channel_planes {
    plane grey{};
    plane tophat{};
};

/// An area that may contain a line, with its other views, best first.
struct candidate {
    text_line line{};
    std::vector<text_line> others{};  ///< At most `other_views_max`.
};

inline constexpr std::size_t other_views_max = 3;
inline constexpr std::size_t candidates_max = 60;  ///< A frame: more is texture.

/// Finds possible lines of text in single frames.
class line_detector {
public:
    /// Candidates of this frame, best first. The planes are those of the frame until the next call.
    [[nodiscard]] std::vector<candidate> find(const rgb_frame& frame);

    [[nodiscard]] const channel_planes& channel(int index) const {
        return channels_[static_cast<std::size_t>(index)];
    }

private:
    void split(const rgb_frame& frame);

    std::array<channel_planes, channel_count> channels_;
    white_tophat tophat_;
};

/// Merges lines found in several planes and at several thresholds; see `candidate`.
[[nodiscard]] std::vector<candidate> merge_views(std::vector<text_line> lines);

}  // namespace reelsd::media::text
