#include "picture_meter.hpp"

#include <algorithm>

namespace reelsd::media::picture {

void picture_meter::add(const view& rgb, const thumbnail& now, const thumbnail* before) {
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
    for (const auto& one : changes_) {
        // A cut's own time is that of the first picture after it.
        const bool over_cut =
            std::any_of(report.cuts.begin(), report.cuts.end(), [&one](double cut) {
                return cut > one.from_seconds && cut <= one.to_seconds;
            });
        if (over_cut) continue;
        sum += one.amount;
        ++counted;
    }
    report.motion = counted == 0 ? 0 : std::min(1.0, sum / static_cast<double>(counted));
}

}  // namespace reelsd::media::picture
