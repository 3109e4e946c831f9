#include "geometry.hpp"

extern "C" {
#include <libavutil/display.h>
}

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace reelsd::media {
namespace {

/// A pixel more than ten times as wide as high is a broken header, not an anamorphic film.
constexpr double aspect_max = 10.0;

double sample_aspect(const AVStream& stream, const AVFrame& frame) {
    for (const AVRational one : {stream.sample_aspect_ratio, frame.sample_aspect_ratio}) {
        const double aspect = one.den == 0 ? 0 : av_q2d(one);
        if (aspect >= 1 / aspect_max && aspect <= aspect_max) return aspect;
    }
    return 1;
}

/// Degrees clockwise. The picture's own matrix wins over the container's.
double rotation_of(const AVStream& stream, const AVFrame& frame) {
    constexpr std::size_t matrix_bytes = 9 * sizeof(std::int32_t);
    const std::uint8_t* matrix = nullptr;
    std::size_t bytes = 0;
    matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
    const AVFrameSideData* own = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (own != nullptr) {
        matrix = own->data;
        bytes = own->size;
    }
    if (matrix == nullptr || bytes < matrix_bytes) return 0;
    const double left = av_display_rotation_get(reinterpret_cast<const std::int32_t*>(matrix));
    return std::isfinite(left) ? -left : 0;
}

int side(double pixels) {
    return static_cast<int>(
        std::clamp(std::round(pixels), 1.0, double{report_bounds::side_pixels_max}));
}

}  // namespace

picture_size geometry::fitted(int width, int height_max) const noexcept {
    const double scale = std::min(
        static_cast<double>(width) / displayed.width,
        static_cast<double>(height_max) / displayed.height);
    return {.width = side(displayed.width * scale), .height = side(displayed.height * scale)};
}

picture_size geometry::before_turning(picture_size size) const noexcept {
    if (picture::swaps_sides(turns)) std::swap(size.width, size.height);
    return size;
}

geometry geometry_of(const AVStream& stream, const AVFrame& first) {
    geometry found;
    found.turns = picture::quarter_turns_of(rotation_of(stream, first));
    found.displayed = {
        .width = side(first.width * sample_aspect(stream, first)), .height = side(first.height)};
    if (picture::swaps_sides(found.turns)) {
        std::swap(found.displayed.width, found.displayed.height);
    }
    return found;
}

}  // namespace reelsd::media
