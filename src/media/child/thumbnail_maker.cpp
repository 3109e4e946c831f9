#include "thumbnail_maker.hpp"

#include "../picture/thumbnail_score.hpp"
#include "jpeg_encoder.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reelsd::media {
namespace {

constexpr double measure_interval_seconds = 1.0 / 3.0;
/// What a reel is about is on screen by then; what comes later may give the end away.
constexpr double first_seconds = 5;
/// From here on a picture shows something: see picture::thumbnail_score().
constexpr double score_enough = 0.3;
/// Time after the first picture that shows something: it may be half of a fade.
constexpr double fade_seconds = 1.5;
/// How much may be decoded in search of one: 15 s of 1080 x 1920 at 30 frames a second. Measured at
/// 0.6 s of a core (a black film in H.264) to 3.2 s (a busy one of 4K in HEVC).
constexpr std::int64_t scanned_pixels_max = std::int64_t{15} * 30 * 1080 * 1920;
/// Whatever the shape: stretching changes neither tones nor, much, edges.
constexpr picture_size measured_size{.width = 128, .height = 128};

/// Each saves 10 to 40 % over the one before. Nothing finer than the first shows at this size.
constexpr auto thumbnail_quantizers =
    std::to_array<int>({3, 4, 5, 7, 9, 12, 16, 20, 25, coarsest_quantizer});
static_assert(thumbnail_quantizers.front() >= finest_quantizer);

/// When even the coarsest has too many bytes (noise), the next try has about half of the pixels.
constexpr double shrinking = 0.7;

picture_size size_of(const geometry& shape, const thumbnail_bounds& within, double scale) {
    const auto side = [scale](int most, int displayed) {
        return std::max(1, static_cast<int>(scale * std::min(most, displayed)));
    };
    return shape.fitted(
        side(within.width_max, shape.displayed.width),
        side(within.height_max, shape.displayed.height));
}

/// As large and then as fine as the bounds allow.
std::vector<std::byte> jpeg_of(
    const AVFrame& frame, const geometry& shape, const thumbnail_bounds& within) {
    for (double scale = 1;; scale *= shrinking) {
        const auto size = size_of(shape, within, scale);
        auto to_rgb = scaler::upright(shape, size, scaler::colours::as_tagged);
        const auto rgb = to_rgb.scale(frame);
        if (rgb.pixels == nullptr) throw std::runtime_error{"the picture cannot be converted"};
        auto jpeg = encode_jpeg_within(rgb, thumbnail_quantizers, within.bytes_max);
        if (jpeg) return *std::move(jpeg);
        // A JPEG of one pixel has under 1,000 bytes.
        if (size.width == 1 && size.height == 1) {
            throw std::runtime_error{"the JPEG encoder's pictures are too large"};
        }
    }
}

}  // namespace

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
    // What the decoder had to guess is better than nothing, but not than anything else.
    const bool guessed =
        (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
    const double score = guessed ? 0 : picture::thumbnail_score(luma);
    if (score <= best_score_) return;
    hold_picture(*best_, frame);
    shape_ = geometry_of(from.video(), frame);
    best_score_ = score;
}

thumbnail_report thumbnail_maker::finish() const {
    if (empty()) throw std::runtime_error{"no picture can be decoded"};
    return {
        .jpeg = jpeg_of(*best_, shape_, report_bounds::large_thumbnail),
        .small_jpeg = jpeg_of(*best_, shape_, report_bounds::small_thumbnail)};
}

}  // namespace reelsd::media
