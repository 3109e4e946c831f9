#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// Width of the pictures for cuts and statistics, at which the limits of cut_finder were measured.
inline constexpr int small_width = 180;

/// Rate of the small coloured pictures for dissolves, colours and motion.
inline constexpr double colour_frames_per_second = 8.0;

/// 8-bit samples of one byte a pixel (luma) or three (RGB), not owned. `stride`: bytes from row to
/// row.
struct view {
    const std::uint8_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t stride = 0;

    [[nodiscard]] const std::uint8_t* row(int y) const noexcept { return pixels + stride * y; }
};

/// Clockwise rotation of a picture before display.
enum class quarter_turns : std::uint8_t { none, right, half, left };

/// The nearest of the four to an angle in degrees, clockwise.
[[nodiscard]] quarter_turns quarter_turns_of(double degrees) noexcept;

/// Whether the rotation swaps width and height.
[[nodiscard]] constexpr bool swaps_sides(quarter_turns turns) noexcept {
    return turns == quarter_turns::right || turns == quarter_turns::left;
}

/// How a stored picture is displayed.
struct orientation {
    quarter_turns turns = quarter_turns::none;
    bool is_mirrored = false;  ///< Left to right, after the rotation.

    friend bool operator==(const orientation&, const orientation&) = default;
};

/// Turns packed RGB upright, into `turned`, which it resizes; the view is of `turned`.
[[nodiscard]] view turn_rgb(const view& rgb, orientation shown, std::vector<std::uint8_t>& turned);

/// Turns one plane of one byte a pixel upright, into rows of `stride` bytes.
void turn_plane(const view& plane, orientation shown, std::uint8_t* turned, std::ptrdiff_t stride);

/// An RGB picture of a few thousand bytes: small enough to keep eight a second of a whole video (90
/// s of 9:16: 8 MB), and blurred enough that small motion causes no cut.
struct small_picture {
    double seconds = 0;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< Packed RGB.
};

/// Averages blocks of 4 x 4 pixels of `rgb`, whose sides are at least 4; ignores incomplete blocks.
[[nodiscard]] small_picture make_small_picture(const view& rgb, double seconds);

/// Mean difference of the samples, 0 (equal) to 1. Both have the same size.
[[nodiscard]] double difference(const small_picture& first, const small_picture& second);

/// How well a picture of luma represents its video, 0 (a black or white area) to 1: many tones,
/// edges, neither dark nor blank. A fade has fewer tones than its target; text on a plain
/// background has edges but few tones. Measured on generated videos: plain areas at most 0.1, text
/// on plain background 0.1 to 0.25, scenes 0.4 to 0.9.
[[nodiscard]] double thumbnail_score(const view& luma);

}  // namespace reelsd::media::picture
