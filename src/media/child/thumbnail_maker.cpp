#include "thumbnail_maker.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace reelsd::media {
namespace {

constexpr double measure_interval_seconds = 1.0 / 3.0;
/// Later pictures may reveal the end.
constexpr double first_seconds = 5;
/// Score from which a picture shows something: see picture::thumbnail_score().
constexpr double score_enough = 0.3;
/// Time to continue after the first such picture, which may be in the middle of a fade.
constexpr double fade_seconds = 1.5;
/// Upper bound on decoding: 15 s of 1080 x 1920 at 30 frames a second. Took 0.6 s of CPU (black
/// H.264) to 3.2 s (complex 4K HEVC).
constexpr std::int64_t scanned_pixels_max = std::int64_t{15} * 30 * 1080 * 1920;
/// For any shape: stretching preserves tones and most edges.
constexpr picture_size measured_size{.width = 128, .height = 128};

/// Each saves 10 to 40 % over the last one. Finer ones than the first make no visible difference.
constexpr auto thumbnail_quantizers =
    std::to_array<int>({3, 4, 5, 7, 9, 12, 16, 20, 25, coarsest_quantizer});

/// When even the coarsest JPEG is too large (noise), the next try has about half of the pixels.
constexpr double shrinking = 0.7;

picture_size size_of(const geometry& shape, const thumbnail_bounds& within, double scale) {
    const auto side = [scale](int most, int displayed) {
        return std::max(1, static_cast<int>(scale * std::min(most, displayed)));
    };
    return shape.fitted(
        side(within.width_max, shape.displayed.width),
        side(within.height_max, shape.displayed.height));
}

}  // namespace

std::vector<std::byte> jpeg_within(
    const AVFrame& frame, const geometry& shape, const thumbnail_bounds& within) {
    for (double scale = 1;; scale *= shrinking) {
        const auto size = size_of(shape, within, scale);
        auto to_rgb = scaler::upright(shape, size, scaler::colours::as_tagged);
        const auto rgb = to_rgb.scale(frame);
        if (rgb.pixels == nullptr) throw std::runtime_error{"the picture cannot be converted"};
        auto jpeg = encode_jpeg_within(rgb, thumbnail_quantizers, within.bytes_max);
        if (jpeg) return *std::move(jpeg);
        if (size.width == 1 && size.height == 1) {
            throw std::runtime_error{"a JPEG of one pixel exceeds its limit"};
        }
    }
}

thumbnail_maker::thumbnail_maker()
    : luma_{measured_size, AV_PIX_FMT_GRAY8}, end_seconds_{first_seconds} {}

void thumbnail_maker::add(const container& from, const AVFrame& frame) {
    if (done_) return;
    const auto at = from.seconds_of(from.video(), frame.best_effort_timestamp);
    const double seconds = at.value_or(due_seconds_);
    if (seconds >= due_seconds_) {
        measure(from, frame);
        due_seconds_ = seconds + measure_interval_seconds;
        if (best_score_ < score_enough) {
            end_seconds_ = std::max(first_seconds, seconds + fade_seconds);
        }
    }
    pixels_ += std::int64_t{frame.width} * frame.height;
    done_ = pixels_ >= scanned_pixels_max || seconds >= end_seconds_;
}

void thumbnail_maker::measure(const container& from, const AVFrame& frame) {
    const auto luma = luma_.scale(frame);
    if (luma.pixels == nullptr) return;
    // A corrupt picture is chosen only if there is no other.
    const bool is_corrupt =
        (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
    const double score = is_corrupt ? 0 : picture::thumbnail_score(luma);
    if (score <= best_score_) return;
    hold_picture(*best_, frame);
    shape_ = geometry_of(from.video(), frame);
    best_score_ = score;
}

thumbnail_report thumbnail_maker::finish() const {
    if (empty()) throw std::runtime_error{"no picture can be decoded"};
    return {
        .jpeg = jpeg_within(*best_, shape_, report_bounds::large_thumbnail),
        .small_jpeg = jpeg_within(*best_, shape_, report_bounds::small_thumbnail)};
}

}  // namespace reelsd::media
