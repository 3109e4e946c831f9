#include "upright_scaler.hpp"

namespace reelsd::media {

upright_scaler::upright_scaler(const geometry& shape, picture_size size, scaler::colours reading)
    : turns_{shape.turns}, lying_{shape.before_turning(size), AV_PIX_FMT_RGB24, reading} {}

picture::view upright_scaler::scale(const AVFrame& frame) {
    const auto rgb = lying_.scale(frame);
    if (rgb.pixels == nullptr || turns_ == picture::quarter_turns::none) return rgb;
    return picture::turn_rgb(rgb, turns_, turned_);
}

}  // namespace reelsd::media
