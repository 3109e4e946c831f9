#pragma once

#include "geometry.hpp"
#include "libav.hpp"

namespace reelsd::media {

/// Scales decoded pictures to one size in planar YUV 4:2:0 with black at 16, turned as players do;
/// the colours' matrix stays what it is.
class upright_yuv {
public:
    /// `size`: as displayed; both sides even.
    upright_yuv(const geometry& shape, picture_size size);

    /// The scaled picture, valid until the next call and not to be kept by an encoder past it; null
    /// when FFmpeg cannot convert.
    [[nodiscard]] AVFrame* scale(const AVFrame& frame);

private:
    void turn();

    picture::quarter_turns turns_;
    frame_owner lying_;
    frame_owner upright_;
    scaler_owner context_;
};

}  // namespace reelsd::media
