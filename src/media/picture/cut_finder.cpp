#include "cut_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace reelsd::media::picture {
namespace {

constexpr double score_min = 5.0;

/// A frame with a smaller change repeats the frame before (animation on twos, a converted frame
/// rate). If repeats counted, every second frame of fast motion would look like a cut.
constexpr double repeat_change_max = 0.2;
/// How long the last real change predicts the scene's motion: three frames at 12 a second.
constexpr double usual_change_seconds = 0.25;

/// Length of a camera flash with its decay; a scene between two cuts lasts longer.
constexpr double flash_seconds_max = 0.35;
/// A flash ends when the picture is back to within this share of the jump.
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
double change(const std::vector<std::uint8_t>& before, const std::vector<std::uint8_t>& after) {
    std::uint32_t sum = 0;  // 180 x 450 pixels of 255 use a tenth of its range.
    for (std::size_t at = 0; at < before.size(); ++at) {
        sum += static_cast<std::uint32_t>(std::abs(int{before[at]} - int{after[at]}));
    }
    return before.empty() ? 0 : 100.0 * sum / (256.0 * static_cast<double>(before.size()));
}

/// Mean difference of all samples, 0 to 1; measured on scenes of equal brightness: 0.08 and more.
constexpr double jump_min = 0.05;
/// Motion also changes the pictures before or after; a cut does not.
constexpr double neighbour_share_max = 0.3;
/// A flash of coloured light: the picture is back within three pictures, 3/8 s.
constexpr std::size_t flash_length_max = 3;
constexpr double flash_rest_max = 0.3;
/// A colour jump this near to a known cut is that cut: 2 pictures.
constexpr double known_cut_seconds = 0.25;

bool any_within(std::span<const double> times, double from, double to) {
    return std::ranges::any_of(times, [=](double at) { return at >= from && at <= to; });
}

bool any_near(std::span<const double> times, double seconds, double distance) {
    return any_within(times, seconds - distance, seconds + distance);
}

/// Whether the jump to picture `at` begins or ends a flash.
bool is_of_flash(std::span<const small_picture> pictures, std::size_t at, double jump) {
    const double rest_max = flash_rest_max * jump;
    const auto last = std::min(at + flash_length_max, pictures.size() - 1);
    for (auto later = at + 1; later <= last; ++later) {
        if (difference(pictures[at - 1], pictures[later]) < rest_max) return true;
    }
    const auto first = at - std::min(at, flash_length_max + 1);
    for (auto earlier = first; earlier + 1 < at; ++earlier) {
        if (difference(pictures[earlier], pictures[at]) < rest_max) return true;
    }
    return false;
}

/// Whether a new scene begins with picture `at`; two pictures precede it and one follows.
bool is_jump(std::span<const small_picture> pictures, std::size_t at) {
    const double jump = difference(pictures[at - 1], pictures[at]);
    if (jump < jump_min) return false;
    const double bound = neighbour_share_max * jump;
    if (difference(pictures[at - 2], pictures[at - 1]) > bound) return false;
    if (difference(pictures[at], pictures[at + 1]) > bound) return false;
    return !is_of_flash(pictures, at, jump);
}

/// Half lengths to try, in pictures of 1/8 s: dissolves of 0.25 to 2 s.
constexpr std::array<std::size_t, 6> half_lengths{1, 2, 3, 4, 6, 8};

/// Least difference of two scenes (0 to 1); two shots of one room differ by 0.08 and more.
constexpr double scenes_difference_min = 0.06;
/// Halfway through a crossfade the picture is the mean of both ends, except for motion in them. In
/// a pan or a moving scene the distance from that mean is 0.4 and more.
constexpr double middle_rest_max = 0.22;
constexpr double quarter_rest_max = 0.28;
/// Ends of similar structure are one scene whose light changes.
constexpr double same_scene_correlation_min = 0.75;

/// Scenes change more slowly before and after a crossfade than during it; a steady pan or a moving
/// light changes at one rate.
constexpr double outside_rate_max = 0.7;
/// Pictures on either side from which that rate is measured: a quarter of a second.
constexpr std::size_t outside_length = 2;

constexpr double dark_mean_max = 0.05;
constexpr double cut_distance_seconds_min = 0.5;
constexpr double dissolve_distance_seconds_min = 1.0;

/// Mean distance of `between` from the mix of `first` and `last` with `weight` (of 4) for `last`,
/// relative to their difference `whole`.
double rest_of_mix(
    const small_picture& first, const small_picture& last, const small_picture& between, int weight,
    double whole) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < between.pixels.size(); ++at) {
        const int mix = (4 - weight) * first.pixels[at] + weight * last.pixels[at];
        sum += static_cast<unsigned>(std::abs(mix - 4 * between.pixels[at]));
    }
    const double scale = 4.0 * 255.0 * static_cast<double>(between.pixels.size());
    return static_cast<double>(sum) / scale / whole;
}

double mean_of(const small_picture& picture) {
    double sum = 0;
    for (const auto sample : picture.pixels) sum += sample;
    return picture.pixels.empty() ? 0 : sum / static_cast<double>(picture.pixels.size());
}

bool is_dark(const small_picture& picture) {
    return mean_of(picture) / 255.0 < dark_mean_max;
}

/// Pearson's correlation of all samples; 0 if either picture is uniform.
double correlation(const small_picture& first, const small_picture& second) {
    const double first_mean = mean_of(first);
    const double second_mean = mean_of(second);
    double products = 0;
    double first_squares = 0;
    double second_squares = 0;
    for (std::size_t at = 0; at < first.pixels.size(); ++at) {
        const double a = first.pixels[at] - first_mean;
        const double b = second.pixels[at] - second_mean;
        products += a * b;
        first_squares += a * a;
        second_squares += b * b;
    }
    const double scale = std::sqrt(first_squares * second_squares);
    return scale <= 0 ? 0 : products / scale;
}

struct dissolve {
    double seconds = 0;
    double strength = 0;
};

/// Mean change from one picture to the next between `from` and `to`.
double rate(std::span<const small_picture> pictures, std::size_t from, std::size_t to) {
    return difference(pictures[from], pictures[to]) / static_cast<double>(to - from);
}

/// Whether the scenes before `first` and after `last` change slowly enough. Next to an end of the
/// video or a cut there is nothing to compare.
bool exceeds_neighbours(
    std::span<const small_picture> pictures, std::span<const double> cuts, std::size_t first,
    std::size_t last) {
    const double bound = outside_rate_max * rate(pictures, first, last);
    const auto calm = [&](std::size_t from, std::size_t to) {
        return any_within(cuts, pictures[from].seconds, pictures[to].seconds) ||
               rate(pictures, from, to) <= bound;
    };
    if (first >= outside_length && !calm(first - outside_length, first)) return false;
    return last + outside_length >= pictures.size() || calm(last, last + outside_length);
}

/// Confidence in a crossfade around `middle`, its ends `half` pictures away; 0 for none.
double crossfade_strength(
    std::span<const small_picture> pictures, std::size_t middle, std::size_t half) {
    const auto& first = pictures[middle - half];
    const auto& last = pictures[middle + half];
    const double whole = difference(first, last);
    if (whole < scenes_difference_min) return 0;
    // A fade from or to black has only one scene; find_dark_gaps() finds those between two.
    if (is_dark(first) || is_dark(last)) return 0;
    const double rest = rest_of_mix(first, last, pictures[middle], 2, whole);
    if (rest > middle_rest_max) return 0;
    if (half % 2 == 0) {
        const std::size_t quarter = half / 2;
        const double early = rest_of_mix(first, last, pictures[middle - quarter], 1, whole);
        const double late = rest_of_mix(first, last, pictures[middle + quarter], 3, whole);
        // If the crossfade is shorter than this, its quarters equal its ends instead of the mix.
        // Therefore only the sum counts.
        if (early + late > 2 * quarter_rest_max + rest) return 0;
    }
    if (correlation(first, last) > same_scene_correlation_min) return 0;
    return whole * (1 - rest);
}

/// The strongest crossfade of any length with its middle at `middle`; strength 0 for none.
dissolve crossfade_about(
    std::span<const small_picture> pictures, std::span<const double> cuts, std::size_t middle) {
    dissolve best;
    for (const std::size_t half : half_lengths) {
        if (half > middle || middle + half >= pictures.size()) break;
        const double from = pictures[middle - half].seconds;
        if (any_within(cuts, from, pictures[middle + half].seconds)) break;
        const double strength = crossfade_strength(pictures, middle, half);
        if (strength > best.strength &&
            exceeds_neighbours(pictures, cuts, middle - half, middle + half)) {
            best = {pictures[middle].seconds, strength};
        }
    }
    return best;
}

std::vector<dissolve> find_crossfades(
    std::span<const small_picture> pictures, std::span<const double> cuts) {
    std::vector<dissolve> crossfades;
    for (std::size_t middle = 1; middle + 1 < pictures.size(); ++middle) {
        const auto best = crossfade_about(pictures, cuts, middle);
        if (best.strength > 0) crossfades.push_back(best);
    }
    return crossfades;
}

/// A longer fade through black is a black card. The new scene begins at its end.
constexpr double half_fade_seconds_max = 0.5;

/// Runs of dark pictures between two bright ones that begin and end without a hard cut: black
/// between hard cuts is a scene. Darkness at the start or the end of the video separates no scenes.
std::vector<dissolve> find_dark_gaps(
    std::span<const small_picture> pictures, std::span<const double> cuts) {
    std::vector<dissolve> gaps;
    std::size_t start = pictures.size();
    const auto is_cut = [&](std::size_t at) {
        return any_within(cuts, pictures[at - 1].seconds, pictures[at].seconds);
    };
    for (std::size_t at = 1; at < pictures.size(); ++at) {
        const bool dark = is_dark(pictures[at]);
        const bool was_dark = is_dark(pictures[at - 1]);
        if (dark && !was_dark) start = at;
        if (dark || !was_dark || start >= at || is_cut(start) || is_cut(at)) continue;
        const double end = pictures[at - 1].seconds;
        const double middle = (pictures[start].seconds + end) / 2;
        gaps.push_back({std::max(middle, end - half_fade_seconds_max), 1.0});
    }
    return gaps;
}

/// Keeps the strongest of dissolves that are close together.
std::vector<double> strongest(std::vector<dissolve> dissolves) {
    std::ranges::stable_sort(
        dissolves, [](const auto& a, const auto& b) { return a.strength > b.strength; });
    std::vector<double> kept;
    for (const auto& [seconds, strength] : dissolves) {
        if (!any_near(kept, seconds, dissolve_distance_seconds_min)) kept.push_back(seconds);
    }
    std::ranges::sort(kept);
    return kept;
}

}  // namespace

double cut_finder::usual_change(double seconds) const {
    return seconds - last_change_seconds_ > usual_change_seconds ? 0 : last_change_;
}

bool cut_finder::returns_to_before(double seconds, const std::vector<std::uint8_t>& now) {
    for (auto cut = candidates_.begin(); cut != candidates_.end(); ++cut) {
        if (cut->before.empty()) continue;
        if (seconds - cut->seconds > flash_seconds_max) {
            cut->before = {};  // No flash.
        } else if (change(cut->before, now) < return_share_max * cut->jump) {
            candidates_.erase(cut, candidates_.end());
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
    for (const auto& cut : candidates_) {
        if (cuts.empty() || cut.seconds - cuts.back() >= cut_gap_seconds_min) {
            cuts.push_back(cut.seconds);
        }
    }
    return cuts;
}

std::vector<double> find_colour_jumps(
    std::span<const small_picture> pictures, std::span<const double> cuts) {
    std::vector<double> jumps;
    for (std::size_t at = 2; at + 1 < pictures.size(); ++at) {
        const double seconds = (pictures[at - 1].seconds + pictures[at].seconds) / 2;
        if (!any_near(cuts, seconds, known_cut_seconds) && is_jump(pictures, at))
            jumps.push_back(seconds);
    }
    return jumps;
}

std::vector<double> find_dissolves(
    std::span<const small_picture> pictures, std::span<const double> cuts) {
    auto dissolves = find_crossfades(pictures, cuts);
    const auto gaps = find_dark_gaps(pictures, cuts);
    dissolves.insert(dissolves.end(), gaps.begin(), gaps.end());
    std::erase_if(dissolves, [cuts](const dissolve& candidate) {
        return any_near(cuts, candidate.seconds, cut_distance_seconds_min);
    });
    return strongest(std::move(dissolves));
}

std::vector<double> merge_cuts(std::span<const double> cuts, std::span<const double> dissolves) {
    std::vector<double> merged(cuts.size() + dissolves.size());
    std::merge(cuts.begin(), cuts.end(), dissolves.begin(), dissolves.end(), merged.begin());
    return merged;
}

}  // namespace reelsd::media::picture
