#pragma once

#include "../text/text_reader.hpp"
#include "scaler.hpp"

namespace reelsd::media {

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
