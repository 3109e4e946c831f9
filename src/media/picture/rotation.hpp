#pragma once

#include "view.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// How far a picture is turned clockwise before it is shown.
enum class quarter_turns : std::uint8_t { none, right, half, left };

/// The nearest of the four to an angle in degrees, clockwise.
[[nodiscard]] quarter_turns quarter_turns_of(double degrees) noexcept;

/// Whether width and height change places.
[[nodiscard]] constexpr bool swaps_sides(quarter_turns turns) noexcept {
    return turns == quarter_turns::right || turns == quarter_turns::left;
}

/// Turns packed RGB into `turned`, which it resizes; the view is of `turned`.
[[nodiscard]] view turn_rgb(
    const view& rgb, quarter_turns turns, std::vector<std::uint8_t>& turned);

/// The same for one plane of one byte a pixel, into rows of `stride` bytes.
void turn_plane(
    const view& plane, quarter_turns turns, std::uint8_t* turned, std::ptrdiff_t stride);

}  // namespace reelsd::media::picture
