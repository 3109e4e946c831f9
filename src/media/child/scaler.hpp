#pragma once

#include "../picture/rotation.hpp"
#include "../picture/view.hpp"
#include "geometry.hpp"
#include "libav.hpp"

#include <cstdint>
#include <vector>

namespace reelsd::media {

/// Scales decoded pictures by area averaging to one size and pixel format, in a buffer of its own.
class scaler {
public:
    /// `format`: AV_PIX_FMT_GRAY8 or AV_PIX_FMT_RGB24.
    scaler(picture_size size, AVPixelFormat format);

    /// The scaled picture, valid until the next call; its `pixels` are null when FFmpeg cannot
    /// convert.
    [[nodiscard]] picture::view scale(const AVFrame& frame);

private:
    picture_size size_;
    AVPixelFormat format_;
    std::ptrdiff_t stride_;
    scaler_owner context_;
    std::vector<std::uint8_t> pixels_;
};

}  // namespace reelsd::media
