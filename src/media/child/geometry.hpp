#pragma once

#include "../picture/rotation.hpp"
#include "libav.hpp"

namespace reelsd::media {

struct picture_size {
    int width = 0;
    int height = 0;
};

/// How the coded pictures of a video become displayed ones.
struct geometry {
    picture_size displayed;  ///< After sample aspect ratio and rotation.
    picture::quarter_turns turns = picture::quarter_turns::none;

    /// The largest size in the displayed shape that is at most `width` wide and `height_max` high.
    /// Both sides are at least 1.
    [[nodiscard]] picture_size fitted(int width, int height_max) const noexcept;
    /// The same before rotation: what a coded picture is scaled to.
    [[nodiscard]] picture_size before_turning(picture_size size) const noexcept;
};

/// From the first decoded picture and its stream: the decoder knows better than the container's
/// header.
[[nodiscard]] geometry geometry_of(const AVStream& stream, const AVFrame& first);

}  // namespace reelsd::media
