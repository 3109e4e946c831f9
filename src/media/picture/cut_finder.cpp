#include "cut_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace reelsd::media::picture {
namespace {

constexpr double score_min = 5.0;

/// A frame that differs less from the one before repeats it (a film on twos, a converted frame
/// rate). Were it counted, every second frame of fast motion would look like a cut.
constexpr double repeat_change_max = 0.2;
/// For how long the last real change tells how much the scene moves: three frames of 12 a second.
constexpr double usual_change_seconds = 0.25;

/// A photographer's flash, with its decay; a scene between two cuts lasts longer.
constexpr double flash_seconds_max = 0.35;
/// It is over when the picture is back to within this share of the jump.
constexpr double return_share_max = 0.25;

constexpr double cut_gap_seconds_min = 0.15;

std::vector<std::uint8_t> packed(const view& luma) {
    std::vector<std::uint8_t> pixels;
    pixels.reserve(static_cast<std::size_t>(luma.width) * static_cast<std::size_t>(luma.height));
    for (int y = 0; y < luma.height; ++y) {
        pixels.insert(pixels.end(), luma.row(y), luma.row(y) + luma.width);
    }
    return pixels;
}

/// Mean absolute difference in percent of the full range.
double change(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other) {
    std::uint32_t sum = 0;  // 180 x 450 pixels of 255: a tenth of its range.
    for (std::size_t at = 0; at < one.size(); ++at) {
        sum += static_cast<std::uint32_t>(std::abs(int{one[at]} - int{other[at]}));
    }
    return one.empty() ? 0 : 100.0 * sum / (256.0 * static_cast<double>(one.size()));
}

}  // namespace

double cut_finder::usual_change(double seconds) const {
    return seconds - last_change_seconds_ > usual_change_seconds ? 0 : last_change_;
}

bool cut_finder::returns_to_before(double seconds, const std::vector<std::uint8_t>& now) {
    for (auto one = candidates_.begin(); one != candidates_.end(); ++one) {
        if (one->before.empty()) continue;
        if (seconds - one->seconds > flash_seconds_max) {
            one->before = {};  // It stays: a cut.
        } else if (change(one->before, now) < return_share_max * one->jump) {
            candidates_.erase(one, candidates_.end());
            return true;
        }
    }
    return false;
}

void cut_finder::add(const view& luma, double seconds) {
    auto now = packed(luma);
    if (now.size() != last_.size()) {
        last_ = std::move(now);
        return;
    }
    const double changed = change(last_, now);
    const bool back = returns_to_before(seconds, now);
    if (changed > repeat_change_max) {
        const double score = std::min(changed, std::abs(changed - usual_change(seconds)));
        if (has_change_ && !back && score >= score_min && changed > usual_change(seconds)) {
            candidates_.push_back({.seconds = seconds, .jump = changed, .before = last_});
        }
        last_change_ = changed;
        last_change_seconds_ = seconds;
    }
    has_change_ = true;
    last_ = std::move(now);
}

std::vector<double> cut_finder::finish() const {
    std::vector<double> cuts;
    for (const auto& one : candidates_) {
        if (cuts.empty() || one.seconds - cuts.back() >= cut_gap_seconds_min) {
            cuts.push_back(one.seconds);
        }
    }
    return cuts;
}

}  // namespace reelsd::media::picture
