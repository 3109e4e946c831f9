#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media::picture {

/// The colours that people name first, and no more: a finer name would claim more than a camera's
/// white balance allows.
inline constexpr std::array<std::string_view, 13> colour_names{
    "black",
    "white",
    "grey",
    "red",
    "orange",
    "yellow",
    "green",
    "turquoise",
    "blue",
    "purple",
    "pink",
    "brown",
    "beige"};

/// How many pixels bear each name.
using colour_counts = std::array<std::uint64_t, colour_names.size()>;

/// The index in `colour_names` of one pixel.
[[nodiscard]] std::size_t colour_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue);

/// Names that cover at least 8 % each, strongest first, at most 3; empty when nothing was counted.
[[nodiscard]] std::vector<std::string> dominant_colours(const colour_counts& counts);

}  // namespace reelsd::media::picture
