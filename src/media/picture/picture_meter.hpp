#pragma once

#include "image.hpp"
#include <reelsd/media/report.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media::picture {

/// Basic colour names only: a camera's white balance does not allow finer ones.
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

using colour_counts = std::array<std::uint64_t, colour_names.size()>;

[[nodiscard]] std::size_t colour_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue);

/// Names that cover at least 8 % each, strongest first, at most 3; empty when nothing was counted.
[[nodiscard]] std::vector<std::string> dominant_colours(const colour_counts& counts);

/// Measures brightness, colour and motion over the small pictures of a video.
class picture_meter {
public:
    /// The next picture as packed RGB, in order of time, with its small picture and the one before
    /// (null for the first).
    void add(const view& rgb, const small_picture& now, const small_picture* before);

    /// Sets everything but `cuts`. Pairs of pictures around a cut do not count as motion.
    void finish(picture_report& report) const;

private:
    struct change {
        double from_seconds = 0;
        double to_seconds = 0;
        double amount = 0;
    };

    std::uint64_t pixels_ = 0;
    std::uint64_t luma_sum_ = 0;    ///< In 1/256 of a level.
    std::uint64_t spread_sum_ = 0;  ///< Sum of max(R,G,B) - min(R,G,B).
    colour_counts colours_{};
    std::vector<change> changes_;
};

}  // namespace reelsd::media::picture
