#pragma once

#include <cstddef>
#include <cstdint>

namespace reelsd::media::picture {

/// Pictures for cuts and statistics are scaled to this width; the scene score was measured at it.
inline constexpr int small_width = 180;

/// Coloured small pictures a second: what dissolves, colours and motion need.
inline constexpr double colour_frames_per_second = 8.0;

/// 8-bit samples that somebody else owns: one byte a pixel (luma) or three (RGB). `stride` is bytes
/// from row to row.
struct view {
    const std::uint8_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t stride = 0;

    [[nodiscard]] const std::uint8_t* row(int y) const noexcept { return pixels + stride * y; }
};

}  // namespace reelsd::media::picture
