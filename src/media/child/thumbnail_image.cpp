#include "thumbnail_image.hpp"

#include "jpeg_encoder.hpp"
#include "upright_scaler.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace reelsd::media {
namespace {

/// Each saves 10 to 40 % over the one before. Finer than the first nobody sees at this size.
constexpr auto quantizers = std::to_array<int>({3, 4, 5, 7, 9, 12, 16, 20, 25, coarsest_quantizer});
static_assert(quantizers.front() >= finest_quantizer);

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
std::vector<std::byte> jpeg_of(const chosen_frame& chosen, const thumbnail_bounds& within) {
    for (double scale = 1;; scale *= shrinking) {
        const auto size = size_of(chosen.shape, within, scale);
        upright_scaler to_rgb{chosen.shape, size, scaler::colours::as_tagged};
        const auto rgb = to_rgb.scale(*chosen.frame);
        if (rgb.pixels == nullptr) throw std::runtime_error{"the picture cannot be converted"};
        auto jpeg = encode_jpeg_within(rgb, quantizers, within.bytes_max);
        if (jpeg) return *std::move(jpeg);
        // A JPEG of one pixel has under 1,000 bytes.
        if (size.width == 1 && size.height == 1) {
            throw std::runtime_error{"the JPEG encoder's pictures are too large"};
        }
    }
}

}  // namespace

thumbnail_report thumbnail_of(const chosen_frame& chosen) {
    return {
        .jpeg = jpeg_of(chosen, report_bounds::large_thumbnail),
        .small_jpeg = jpeg_of(chosen, report_bounds::small_thumbnail)};
}

}  // namespace reelsd::media
