#include "scaler.hpp"

#include <array>
#include <cstddef>

namespace reelsd::media {
namespace {

/// Rows start at multiples of the widest vector register, as FFmpeg likes them.
constexpr std::ptrdiff_t alignment = 64;

std::ptrdiff_t aligned(std::ptrdiff_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

scaler::scaler(picture_size size, AVPixelFormat format)
    : size_{size},
      format_{format},
      stride_{aligned(std::ptrdiff_t{format == AV_PIX_FMT_RGB24 ? 3 : 1} * size.width)},
      // Vector code may write past the end of the last row.
      pixels_(static_cast<std::size_t>(stride_ * size.height + alignment)) {}

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
    if (!context_) return {};
    // FFmpeg reads four of each; both formats have one plane.
    const std::array<std::uint8_t*, 4> planes{pixels_.data(), nullptr, nullptr, nullptr};
    const std::array<int, 4> strides{static_cast<int>(stride_), 0, 0, 0};
    const int rows = sws_scale(
        context_.get(), frame.data, frame.linesize, 0, frame.height, planes.data(), strides.data());
    if (rows != size_.height) return {};
    return {
        .pixels = pixels_.data(), .width = size_.width, .height = size_.height, .stride = stride_};
}

}  // namespace reelsd::media
