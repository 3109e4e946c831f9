#pragma once

#include "../picture/view.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace reelsd::media {

/// How coarsely FFmpeg's encoder quantizes: its own scale, on which sizes fall about as they rise.
inline constexpr int finest_quantizer = 2;
inline constexpr int coarsest_quantizer = 31;

/// A baseline JPEG (JFIF, 4:2:0, square pixels) of a picture of packed RGB, without any metadata.
/// Throws std::runtime_error when FFmpeg refuses.
[[nodiscard]] std::vector<std::byte> encode_jpeg(const picture::view& rgb, int quantizer);

/// With the first of `quantizers` that gives at most `bytes_max`; nothing when none does.
[[nodiscard]] std::optional<std::vector<std::byte>> encode_jpeg_within(
    const picture::view& rgb, std::span<const int> quantizers, std::size_t bytes_max);

}  // namespace reelsd::media
