#pragma once

#include "scaler.hpp"

#include <cstdint>
#include <vector>

namespace reelsd::media {

/// Scales decoded pictures to one size in RGB, and turns them as players do.
class upright_scaler {
public:
    /// `size`: as displayed.
    upright_scaler(const geometry& shape, picture_size size, scaler::colours reading);

    /// Valid until the next call; its `pixels` are null when FFmpeg cannot convert.
    [[nodiscard]] picture::view scale(const AVFrame& frame);

private:
    picture::quarter_turns turns_;
    scaler lying_;
    std::vector<std::uint8_t> turned_;
};

}  // namespace reelsd::media
