#include "colour_names.hpp"

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <numeric>

namespace reelsd::media::picture {
namespace {

enum name : std::size_t {
    black,
    white,
    grey,
    red,
    orange,
    yellow,
    green,
    turquoise,
    blue,
    purple,
    pink,
    brown,
    beige
};

/// Hue in degrees; the picture is known to be coloured, so `spread` is over 0.
double hue_of(int r, int g, int b, int most, int spread) {
    double sixths = 0;
    if (most == r) {
        sixths = static_cast<double>(g - b) / spread;
    } else if (most == g) {
        sixths = 2.0 + static_cast<double>(b - r) / spread;
    } else {
        sixths = 4.0 + static_cast<double>(r - g) / spread;
    }
    return sixths < 0 ? (sixths + 6.0) * 60.0 : sixths * 60.0;
}

name cool_name(double hue) {
    if (hue < 70) return yellow;
    if (hue < 160) return green;
    if (hue < 195) return turquoise;
    if (hue < 255) return blue;
    return hue < 290 ? purple : pink;
}

/// Reds and oranges, whose names depend on how light and how pale they are.
name warm_name(double hue, double value, double saturation) {
    const bool reddish = hue < 15 || hue >= 345;
    if (reddish) return saturation < 0.5 && value > 0.7 ? pink : red;
    if (saturation < 0.4 && value > 0.6) return beige;
    return value < 0.65 ? brown : orange;
}

}  // namespace

std::size_t colour_of(std::uint8_t red_byte, std::uint8_t green_byte, std::uint8_t blue_byte) {
    const int r = red_byte;
    const int g = green_byte;
    const int b = blue_byte;
    const int most = std::max({r, g, b});
    const int spread = most - std::min({r, g, b});
    const double value = most / 255.0;
    const double saturation = most == 0 ? 0.0 : static_cast<double>(spread) / most;
    if (value < 0.16) return black;
    if (saturation < 0.12) return value > 0.85 ? white : grey;
    const double hue = hue_of(r, g, b, most, spread);
    const bool warm = hue < 45 || hue >= 345;
    return warm ? warm_name(hue, value, saturation) : cool_name(hue);
}

std::vector<std::string> dominant_colours(const colour_counts& counts) {
    constexpr double share_min = 0.08;
    const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::array<std::size_t, colour_names.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&counts](std::size_t one, std::size_t other) {
        return counts[one] > counts[other];
    });
    std::vector<std::string> names;
    for (const std::size_t at : order) {
        if (names.size() == report_bounds::colours_max || counts[at] == 0) break;
        if (static_cast<double>(counts[at]) < share_min * static_cast<double>(total)) break;
        names.emplace_back(colour_names[at]);
    }
    return names;
}

}  // namespace reelsd::media::picture
