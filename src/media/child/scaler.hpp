#pragma once

#include "../picture/rotation.hpp"
#include "../picture/view.hpp"
#include "../text/text_reader.hpp"
#include "geometry.hpp"
#include "libav.hpp"

#include <cstdint>
#include <vector>

namespace reelsd::media {

/// Scales decoded pictures by area averaging to one size and pixel format, in buffers of its own.
class scaler {
public:
    /// How a picture's own colours are read: all as BT.601 with black at 16, which is enough to
    /// measure by, or as the picture says (where it says nothing: by its size, as players do).
    enum class colours : std::uint8_t { as_one, as_tagged };

    /// `format`: AV_PIX_FMT_GRAY8 or AV_PIX_FMT_RGB24.
    scaler(picture_size size, AVPixelFormat format, colours reading = colours::as_one);

    /// Scales to RGB and turns pictures as players do. `size`: as displayed.
    static scaler upright(const geometry& shape, picture_size size, colours reading);

    /// The scaled picture, valid until the next call; its `pixels` are null when FFmpeg cannot
    /// convert.
    [[nodiscard]] picture::view scale(const AVFrame& frame);

private:
    [[nodiscard]] bool read_colours_of(const AVFrame& frame);

    picture_size size_;
    AVPixelFormat format_;
    colours reading_;
    picture::quarter_turns turns_ = picture::quarter_turns::none;
    std::ptrdiff_t stride_;
    scaler_owner context_;
    std::vector<std::uint8_t> pixels_;
    std::vector<std::uint8_t> turned_;
};

/// Makes pictures of a video ready for the text reader.
class text_picture {
public:
    explicit text_picture(const geometry& shape);

    /// Valid until the next call; its `pixels` are null when FFmpeg cannot convert, or when the
    /// picture is too small for anything to be written in it.
    [[nodiscard]] text::rgb_frame scale(const AVFrame& frame);

private:
    picture_size size_;
    scaler scaler_;
};

}  // namespace reelsd::media
