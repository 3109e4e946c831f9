#include "text_picture.hpp"

namespace reelsd::media {
namespace {

/// 9:22.5, higher than any phone: a picture that would be higher is scaled to less width instead.
constexpr int height_max = text::frame_width * 5 / 2;

/// Glyphs are at least 9 px high (text_reader): in a picture lower than three lines nothing is
/// written.
constexpr int side_min = 32;

}  // namespace

text_picture::text_picture(const geometry& shape)
    : size_{shape.fitted(text::frame_width, height_max)},
      scaler_{scaler::upright(shape, size_, scaler::colours::as_one)} {}

text::rgb_frame text_picture::scale(const AVFrame& frame) {
    if (size_.width < side_min || size_.height < side_min) return {};
    const auto rgb = scaler_.scale(frame);
    return {.pixels = rgb.pixels, .width = rgb.width, .height = rgb.height, .stride = rgb.stride};
}

}  // namespace reelsd::media
