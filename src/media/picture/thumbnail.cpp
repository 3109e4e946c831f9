#include "thumbnail.hpp"

#include <cstddef>
#include <cstdlib>

namespace reelsd::media::picture {
namespace {

constexpr int block = 4;

std::uint8_t block_mean(const view& rgb, int column, int row, int channel) {
    unsigned sum = 0;
    for (int y = row * block; y < (row + 1) * block; ++y) {
        const std::uint8_t* line = rgb.row(y);
        for (int x = column * block; x < (column + 1) * block; ++x) sum += line[3 * x + channel];
    }
    return static_cast<std::uint8_t>(sum / (block * block));
}

}  // namespace

thumbnail make_thumbnail(const view& rgb, double seconds) {
    thumbnail small{
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

double difference(const thumbnail& one, const thumbnail& other) {
    if (one.pixels.empty()) return 0;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < one.pixels.size(); ++at) {
        sum += static_cast<unsigned>(std::abs(int{one.pixels[at]} - int{other.pixels[at]}));
    }
    return static_cast<double>(sum) / (255.0 * static_cast<double>(one.pixels.size()));
}

}  // namespace reelsd::media::picture
