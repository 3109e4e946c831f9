#pragma once

#include "../picture/view.hpp"

#include <cstddef>
#include <vector>

namespace reelsd::media {

/// How coarsely FFmpeg's encoder quantizes: its own scale, on which sizes fall about as they rise.
inline constexpr int finest_quantizer = 2;
inline constexpr int coarsest_quantizer = 31;

/// A baseline JPEG (JFIF, 4:2:0, square pixels) of a picture of packed RGB, without any metadata.
/// Throws std::runtime_error when FFmpeg refuses.
[[nodiscard]] std::vector<std::byte> encode_jpeg(const picture::view& rgb, int quantizer);

}  // namespace reelsd::media
