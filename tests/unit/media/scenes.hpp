#pragma once

#include "picture/image.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// A picture in memory: smooth noise that differs for each seed.
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

/// `shift`: pixels of a camera pan.
inline scene make_scene(int seed, int channels = 1, int shift = 0) {
    scene picture;
    picture.channels = channels;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            for (int channel = 0; channel < channels; ++channel) {
                const double wave = std::sin((x + shift) * (0.13 + 0.05 * seed) + seed + channel) +
                                    std::sin(y * (0.11 + 0.03 * seed) + 2.0 * seed);
                picture.pixels.push_back(static_cast<std::uint8_t>(127 + 60 * wave));
            }
        }
    }
    return picture;
}

/// `share` of `second` mixed into `first`.
inline scene mix(const scene& first, const scene& second, double share) {
    scene mixed = first;
    for (std::size_t at = 0; at < mixed.pixels.size(); ++at) {
        mixed.pixels[at] =
            static_cast<std::uint8_t>(first.pixels[at] * (1 - share) + second.pixels[at] * share);
    }
    return mixed;
}

inline scene flat(std::uint8_t level, int channels = 1) {
    scene picture = make_scene(0, channels);
    for (auto& sample : picture.pixels) sample = level;
    return picture;
}

/// RGB of one colour.
inline scene coloured(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    scene picture = flat(0, 3);
    for (std::size_t at = 0; at < picture.pixels.size(); at += 3) {
        picture.pixels[at] = red;
        picture.pixels[at + 1] = green;
        picture.pixels[at + 2] = blue;
    }
    return picture;
}

}  // namespace reelsd::media::picture
