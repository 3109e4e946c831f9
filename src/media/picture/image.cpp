#include "image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace reelsd::media::picture {
namespace {

struct place {
    int x = 0;
    int y = 0;
};

/// Position in the source of the pixel `at` of the displayed picture.
place source_of(place at, const view& source, orientation shown) {
    const int width = swaps_sides(shown.turns) ? source.height : source.width;
    if (shown.is_mirrored) at.x = width - 1 - at.x;
    switch (shown.turns) {
        case quarter_turns::none: return at;
        case quarter_turns::right: return {at.y, source.height - 1 - at.x};
        case quarter_turns::half: return {source.width - 1 - at.x, source.height - 1 - at.y};
        case quarter_turns::left: return {source.width - 1 - at.y, at.x};
    }
    return at;
}

constexpr int block = 4;

std::uint8_t block_mean(const view& rgb, int column, int row, int channel) {
    unsigned sum = 0;
    for (int y = row * block; y < (row + 1) * block; ++y) {
        const std::uint8_t* line = rgb.row(y);
        for (int x = column * block; x < (column + 1) * block; ++x) sum += line[3 * x + channel];
    }
    return static_cast<std::uint8_t>(sum / (block * block));
}

/// Four levels each, so that camera noise in black adds no tones.
constexpr std::size_t tones = 64;
using tone_counts = std::array<std::uint64_t, tones>;

constexpr double tones_share = 0.6;
constexpr double edges_share = 0.3;
constexpr double light_share = 0.1;

/// Mean step between neighbours, in levels, from which the score is full; more is noise.
constexpr double mean_step_max = 16;
/// Means of luma: outside of the outer two nothing is visible, between the inner two everything is.
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

quarter_turns quarter_turns_of(double degrees) noexcept {
    if (!std::isfinite(degrees)) return quarter_turns::none;
    const auto quarters = std::lround(std::fmod(degrees, 360.0) / 90.0);
    switch ((quarters + 4) % 4) {
        case 1: return quarter_turns::right;
        case 2: return quarter_turns::half;
        case 3: return quarter_turns::left;
        default: return quarter_turns::none;
    }
}

view turn_rgb(const view& rgb, orientation shown, std::vector<std::uint8_t>& turned) {
    view result{.pixels = nullptr, .width = rgb.width, .height = rgb.height, .stride = 0};
    if (swaps_sides(shown.turns)) std::swap(result.width, result.height);
    result.stride = std::ptrdiff_t{3} * result.width;
    turned.resize(static_cast<std::size_t>(result.stride * result.height));
    std::uint8_t* out = turned.data();
    for (int y = 0; y < result.height; ++y) {
        for (int x = 0; x < result.width; ++x, out += 3) {
            const place from = source_of({x, y}, rgb, shown);
            std::memcpy(out, rgb.row(from.y) + std::ptrdiff_t{3} * from.x, 3);
        }
    }
    result.pixels = turned.data();
    return result;
}

void turn_plane(const view& plane, orientation shown, std::uint8_t* turned, std::ptrdiff_t stride) {
    const int width = swaps_sides(shown.turns) ? plane.height : plane.width;
    const int height = swaps_sides(shown.turns) ? plane.width : plane.height;
    for (int y = 0; y < height; ++y, turned += stride) {
        for (int x = 0; x < width; ++x) {
            const place from = source_of({x, y}, plane, shown);
            turned[x] = plane.row(from.y)[from.x];
        }
    }
}

small_picture make_small_picture(const view& rgb, double seconds) {
    small_picture small{
        .seconds = seconds, .width = rgb.width / block, .height = rgb.height / block, .pixels = {}};
    small.pixels.reserve(
        std::size_t{3} * static_cast<std::size_t>(small.width) *
        static_cast<std::size_t>(small.height));
    for (int row = 0; row < small.height; ++row) {
        for (int column = 0; column < small.width; ++column) {
            for (int channel = 0; channel < 3; ++channel) {
                small.pixels.push_back(block_mean(rgb, column, row, channel));
            }
        }
    }
    return small;
}

double difference(const small_picture& first, const small_picture& second) {
    if (first.pixels.empty()) return 0;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < first.pixels.size(); ++at) {
        sum += static_cast<unsigned>(std::abs(int{first.pixels[at]} - int{second.pixels[at]}));
    }
    return static_cast<double>(sum) / (255.0 * static_cast<double>(first.pixels.size()));
}

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
