#include "scaler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace reelsd::media {
namespace {

/// Rows start at multiples of the widest vector register, as FFmpeg likes them.
constexpr std::ptrdiff_t alignment = 64;

std::ptrdiff_t aligned(std::ptrdiff_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

/// The matrix from YUV to RGB, as swscale counts them (its numbers are those of AVColorSpace).
/// Untagged video is BT.709 from 720 lines on, whichever way up: about what players take it for.
int matrix_of(const AVFrame& frame) {
    constexpr int high_definition_side_min = 720;
    if (frame.colorspace != AVCOL_SPC_UNSPECIFIED) return frame.colorspace;
    return std::min(frame.width, frame.height) >= high_definition_side_min ? SWS_CS_ITU709
                                                                           : SWS_CS_ITU601;
}

}  // namespace

scaler::scaler(picture_size size, AVPixelFormat format, colours reading)
    : size_{size},
      format_{format},
      reading_{reading},
      stride_{aligned(std::ptrdiff_t{format == AV_PIX_FMT_RGB24 ? 3 : 1} * size.width)},
      // Vector code may write past the end of the last row.
      pixels_(static_cast<std::size_t>(stride_ * size.height + alignment)) {}

scaler scaler::upright(const geometry& shape, picture_size size, colours reading) {
    scaler to_rgb{shape.before_turning(size), AV_PIX_FMT_RGB24, reading};
    to_rgb.turns_ = shape.turns;
    return to_rgb;
}

picture::view scaler::scale(const AVFrame& frame) {
    // A stream may change its size midway; the context is made anew only then.
    context_.reset(sws_getCachedContext(
        context_.release(),
        frame.width,
        frame.height,
        static_cast<AVPixelFormat>(frame.format),
        size_.width,
        size_.height,
        format_,
        SWS_AREA,
        nullptr,
        nullptr,
        nullptr));
    if (!context_ || (reading_ == colours::as_tagged && !read_colours_of(frame))) return {};
    // FFmpeg reads four of each; both formats have one plane.
    const std::array<std::uint8_t*, 4> planes{pixels_.data(), nullptr, nullptr, nullptr};
    const std::array<int, 4> strides{static_cast<int>(stride_), 0, 0, 0};
    const int rows = sws_scale(
        context_.get(), frame.data, frame.linesize, 0, frame.height, planes.data(), strides.data());
    if (rows != size_.height) return {};
    const picture::view scaled{
        .pixels = pixels_.data(), .width = size_.width, .height = size_.height, .stride = stride_};
    if (turns_ == picture::quarter_turns::none) return scaled;
    return picture::turn_rgb(scaled, turns_, turned_);
}

bool scaler::read_colours_of(const AVFrame& frame) {
    int* source = nullptr;
    int* target = nullptr;
    int source_full = 0;
    int target_full = 0;
    int brightness = 0;
    int contrast = 0;
    int saturation = 0;
    // What FFmpeg has set up stays, but for the matrix and what the frame says of its range.
    const int read = sws_getColorspaceDetails(
        context_.get(),
        &source,
        &source_full,
        &target,
        &target_full,
        &brightness,
        &contrast,
        &saturation);
    if (read < 0) return false;
    if (frame.color_range == AVCOL_RANGE_JPEG) source_full = 1;
    return sws_setColorspaceDetails(
               context_.get(),
               sws_getCoefficients(matrix_of(frame)),
               source_full,
               target,
               target_full,
               brightness,
               contrast,
               saturation) >= 0;
}

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
