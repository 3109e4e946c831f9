#include "picture_meter.hpp"

#include <algorithm>
#include <numeric>

namespace reelsd::media::picture {
namespace {

consteval std::size_t index_of(std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(colour_names, name) - colour_names.begin());
}

/// Hue in degrees; `spread` is over 0.
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

std::size_t cool_name(double hue) {
    if (hue < 70) return index_of("yellow");
    if (hue < 160) return index_of("green");
    if (hue < 195) return index_of("turquoise");
    if (hue < 255) return index_of("blue");
    return hue < 290 ? index_of("purple") : index_of("pink");
}

/// Name of a red or orange, which depends on its value and saturation.
std::size_t warm_name(double hue, double value, double saturation) {
    const bool reddish = hue < 15 || hue >= 345;
    if (reddish) return saturation < 0.5 && value > 0.7 ? index_of("pink") : index_of("red");
    if (saturation < 0.4 && value > 0.6) return index_of("beige");
    return value < 0.65 ? index_of("brown") : index_of("orange");
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
    if (value < 0.16) return index_of("black");
    if (saturation < 0.12) return value > 0.85 ? index_of("white") : index_of("grey");
    const double hue = hue_of(r, g, b, most, spread);
    const bool warm = hue < 45 || hue >= 345;
    return warm ? warm_name(hue, value, saturation) : cool_name(hue);
}

std::vector<std::string> dominant_colours(const colour_counts& counts) {
    constexpr double share_min = 0.08;
    const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::array<std::size_t, colour_names.size()> order{};
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&counts](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    std::vector<std::string> names;
    for (const std::size_t at : order) {
        if (names.size() == report_bounds::colours_max || counts[at] == 0) break;
        if (static_cast<double>(counts[at]) < share_min * static_cast<double>(total)) break;
        names.emplace_back(colour_names[at]);
    }
    return names;
}

void picture_meter::add(const view& rgb, const small_picture& now, const small_picture* before) {
    for (int y = 0; y < rgb.height; ++y) {
        const std::uint8_t* pixel = rgb.row(y);
        for (int x = 0; x < rgb.width; ++x, pixel += 3) {
            // BT.709's weights in 1/256.
            luma_sum_ += 54U * pixel[0] + 183U * pixel[1] + 19U * pixel[2];
            const auto [least, most] = std::minmax({pixel[0], pixel[1], pixel[2]});
            spread_sum_ += static_cast<std::uint64_t>(most - least);
            ++colours_[colour_of(pixel[0], pixel[1], pixel[2])];
        }
    }
    pixels_ += static_cast<std::uint64_t>(rgb.width) * static_cast<std::uint64_t>(rgb.height);
    if (before != nullptr) {
        changes_.push_back({before->seconds, now.seconds, difference(*before, now)});
    }
}

void picture_meter::finish(picture_report& report) const {
    report.colours = dominant_colours(colours_);
    if (pixels_ == 0) return;
    const auto pixels = static_cast<double>(pixels_);
    report.brightness = std::min(1.0, static_cast<double>(luma_sum_) / (256.0 * 255.0 * pixels));
    report.saturation = static_cast<double>(spread_sum_) / (255.0 * pixels);

    double sum = 0;
    std::size_t counted = 0;
    for (const auto& pair : changes_) {
        // The time of a cut is that of the first picture after it.
        const bool over_cut = std::ranges::any_of(report.cuts, [&pair](double cut) {
            return cut > pair.from_seconds && cut <= pair.to_seconds;
        });
        if (over_cut) continue;
        sum += pair.amount;
        ++counted;
    }
    report.motion = counted == 0 ? 0 : std::min(1.0, sum / static_cast<double>(counted));
}

}  // namespace reelsd::media::picture
