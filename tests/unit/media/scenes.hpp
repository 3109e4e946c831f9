#pragma once

#include "picture/image.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// A picture in memory: smooth noise that looks different for each seed.
struct scene {
    int width = 60;
    int height = 100;
    int channels = 1;
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] view as_view() const {
        return {
            .pixels = pixels.data(),
            .width = width,
            .height = height,
            .stride = std::ptrdiff_t{channels} * width};
    }
};

/// `shift`: pixels that the camera has panned.
inline scene make_scene(int seed, int channels = 1, int shift = 0) {
    scene made;
    made.channels = channels;
    for (int y = 0; y < made.height; ++y) {
        for (int x = 0; x < made.width; ++x) {
            for (int channel = 0; channel < channels; ++channel) {
                const double wave = std::sin((x + shift) * (0.13 + 0.05 * seed) + seed + channel) +
                                    std::sin(y * (0.11 + 0.03 * seed) + 2.0 * seed);
                made.pixels.push_back(static_cast<std::uint8_t>(127 + 60 * wave));
            }
        }
    }
    return made;
}

/// `share` of `other`, the rest of `one`.
inline scene mix(const scene& one, const scene& other, double share) {
    scene mixed = one;
    for (std::size_t at = 0; at < mixed.pixels.size(); ++at) {
        mixed.pixels[at] =
            static_cast<std::uint8_t>(one.pixels[at] * (1 - share) + other.pixels[at] * share);
    }
    return mixed;
}

inline scene flat(std::uint8_t level, int channels = 1) {
    scene made = make_scene(0, channels);
    for (auto& sample : made.pixels) sample = level;
    return made;
}

}  // namespace reelsd::media::picture
