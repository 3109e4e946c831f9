#pragma once

#include "view.hpp"

#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// An RGB picture of a few thousand bytes, small enough to keep eight a second of a whole video
/// (90 s of 9:16: 8 MB), and blurred enough that a moving hand is no new scene.
struct thumbnail {
    double seconds = 0;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< Packed RGB.
};

/// Averages blocks of 4 x 4 pixels of `rgb`; a rest of up to 3 rows or columns is left out.
/// Both sides of `rgb` are at least 4.
[[nodiscard]] thumbnail make_thumbnail(const view& rgb, double seconds);

/// Mean difference of the samples, 0 equal to 1 opposite. Both have the same size.
[[nodiscard]] double difference(const thumbnail& one, const thumbnail& other);

}  // namespace reelsd::media::picture
