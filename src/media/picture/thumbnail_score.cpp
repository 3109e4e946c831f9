#include "thumbnail_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace reelsd::media::picture {
namespace {

/// Four levels each: coarse enough that the noise of a camera's black is no richness.
constexpr std::size_t tones = 64;
using tone_counts = std::array<std::uint64_t, tones>;

constexpr double tones_share = 0.6;
constexpr double edges_share = 0.3;
constexpr double light_share = 0.1;

/// A mean step between neighbours of so many levels is as rich as it gets; more is noise.
constexpr double mean_step_max = 16;
/// Means of luma: darker or lighter than the outer ones nothing can be seen, between the inner ones
/// everything can.
constexpr double black_mean = 16;
constexpr double dark_mean = 48;
constexpr double light_mean = 208;
constexpr double blank_mean = 240;

/// Entropy of the tones, 0 to 1.
double richness_of(const tone_counts& counts, double pixels) {
    double bits = 0;
    for (const auto count : counts) {
        if (count == 0) continue;
        const double share = static_cast<double>(count) / pixels;
        bits -= share * std::log2(share);
    }
    return bits / std::log2(static_cast<double>(tones));
}

double visibility_of(double mean) {
    const double from_below = (mean - black_mean) / (dark_mean - black_mean);
    const double from_above = (blank_mean - mean) / (blank_mean - light_mean);
    return std::clamp(std::min(from_below, from_above), 0.0, 1.0);
}

}  // namespace

double thumbnail_score(const view& luma) {
    tone_counts counts{};
    std::uint64_t sum = 0;
    std::uint64_t steps = 0;
    for (int y = 0; y < luma.height; ++y) {
        const std::uint8_t* row = luma.row(y);
        const std::uint8_t* above = luma.row(std::max(y - 1, 0));
        for (int x = 0; x < luma.width; ++x) {
            const int level = row[x];
            ++counts[static_cast<std::size_t>(level) * tones / 256];
            sum += static_cast<unsigned>(level);
            steps += static_cast<unsigned>(
                std::abs(level - row[std::max(x - 1, 0)]) + std::abs(level - above[x]));
        }
    }
    const double pixels = static_cast<double>(luma.width) * luma.height;
    const double mean_step = static_cast<double>(steps) / (2 * pixels);
    return tones_share * richness_of(counts, pixels) +
           edges_share * std::min(1.0, mean_step / mean_step_max) +
           light_share * visibility_of(static_cast<double>(sum) / pixels);
}

}  // namespace reelsd::media::picture
