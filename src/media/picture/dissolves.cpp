#include "dissolves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>

namespace reelsd::media::picture {
namespace {

/// Half lengths to try, in pictures of 1/8 s: dissolves of 0.25 to 2 s.
constexpr std::array<std::size_t, 6> half_lengths{1, 2, 3, 4, 6, 8};

/// The two scenes differ at least so much (0 to 1); two shots of one room differ by 0.08 and more.
constexpr double scenes_difference_min = 0.06;
/// Halfway through a crossfade the picture is the mean of both ends, but for what moves in them. A
/// pan or a moving thing shows neither end's mean: 0.4 and more.
constexpr double middle_rest_max = 0.22;
constexpr double quarter_rest_max = 0.28;
/// The ends look alike in structure: one scene whose light changes, not two.
constexpr double same_scene_correlation_min = 0.75;

/// Scenes stand still next to a crossfade, or move less than it does: a steady pan or a turning
/// light changes before and after as fast as in between.
constexpr double outside_rate_max = 0.7;
/// Pictures on either side that tell how fast: a quarter of a second.
constexpr std::size_t outside_length = 2;

constexpr double dark_mean_max = 0.05;
constexpr double cut_distance_seconds_min = 0.5;
constexpr double dissolve_distance_seconds_min = 1.0;

/// Mean distance of `between` from the mix of `one` and `other` with `weight` (of 4) for `other`,
/// relative to their difference `whole`.
double rest_of_mix(
    const thumbnail& one, const thumbnail& other, const thumbnail& between, int weight,
    double whole) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < between.pixels.size(); ++at) {
        const int mix = (4 - weight) * one.pixels[at] + weight * other.pixels[at];
        sum += static_cast<unsigned>(std::abs(mix - 4 * between.pixels[at]));
    }
    const double scale = 4.0 * 255.0 * static_cast<double>(between.pixels.size());
    return static_cast<double>(sum) / scale / whole;
}

double mean_of(const thumbnail& picture) {
    double sum = 0;
    for (const auto sample : picture.pixels) sum += sample;
    return picture.pixels.empty() ? 0 : sum / static_cast<double>(picture.pixels.size());
}

bool is_dark(const thumbnail& picture) {
    return mean_of(picture) / 255.0 < dark_mean_max;
}

/// Pearson's, over all samples; 0 where one picture is flat.
double correlation(const thumbnail& one, const thumbnail& other) {
    const double one_mean = mean_of(one);
    const double other_mean = mean_of(other);
    double both = 0;
    double one_square = 0;
    double other_square = 0;
    for (std::size_t at = 0; at < one.pixels.size(); ++at) {
        const double a = one.pixels[at] - one_mean;
        const double b = other.pixels[at] - other_mean;
        both += a * b;
        one_square += a * a;
        other_square += b * b;
    }
    const double scale = std::sqrt(one_square * other_square);
    return scale <= 0 ? 0 : both / scale;
}

bool any_within(std::span<const double> times, double from, double to) {
    return std::any_of(
        times.begin(), times.end(), [=](double at) { return at >= from && at <= to; });
}

struct dissolve {
    double seconds = 0;
    double strength = 0;
};

/// The change of a picture to the next between `from` and `to`, as if it were steady.
double rate(std::span<const thumbnail> pictures, std::size_t from, std::size_t to) {
    return difference(pictures[from], pictures[to]) / static_cast<double>(to - from);
}

/// Whether the scenes next to a change from picture `first` to `last` stand still enough. An end
/// of the video or a cut leaves nothing to compare.
bool stands_out(
    std::span<const thumbnail> pictures, std::span<const double> cuts, std::size_t first,
    std::size_t last) {
    const double bound = outside_rate_max * rate(pictures, first, last);
    const auto calm = [&](std::size_t from, std::size_t to) {
        return any_within(cuts, pictures[from].seconds, pictures[to].seconds) ||
               rate(pictures, from, to) <= bound;
    };
    if (first >= outside_length && !calm(first - outside_length, first)) return false;
    return last + outside_length >= pictures.size() || calm(last, last + outside_length);
}

/// How surely a crossfade has its middle at `middle` and its ends `half` pictures away; 0: there is
/// none.
double crossfade_strength(
    std::span<const thumbnail> pictures, std::size_t middle, std::size_t half) {
    const auto& first = pictures[middle - half];
    const auto& last = pictures[middle + half];
    const double whole = difference(first, last);
    if (whole < scenes_difference_min) return 0;
    // A fade from or to black has only one scene; find_dark_gaps knows the ones that have two.
    if (is_dark(first) || is_dark(last)) return 0;
    const double rest = rest_of_mix(first, last, pictures[middle], 2, whole);
    if (rest > middle_rest_max) return 0;
    if (half % 2 == 0) {
        const std::size_t quarter = half / 2;
        const double early = rest_of_mix(first, last, pictures[middle - quarter], 1, whole);
        const double late = rest_of_mix(first, last, pictures[middle + quarter], 3, whole);
        // Past a crossfade's ends the scenes stand still: at the quarters, both ends' own picture
        // is as good as the mix. Hence only their sum counts.
        if (early + late > 2 * quarter_rest_max + rest) return 0;
    }
    if (correlation(first, last) > same_scene_correlation_min) return 0;
    return whole * (1 - rest);
}

/// The surest crossfade of any length that has its middle at `middle`; strength 0: there is none.
dissolve crossfade_about(
    std::span<const thumbnail> pictures, std::span<const double> cuts, std::size_t middle) {
    dissolve best;
    for (const std::size_t half : half_lengths) {
        if (half > middle || middle + half >= pictures.size()) break;
        const double from = pictures[middle - half].seconds;
        if (any_within(cuts, from, pictures[middle + half].seconds)) break;
        const double strength = crossfade_strength(pictures, middle, half);
        if (strength > best.strength && stands_out(pictures, cuts, middle - half, middle + half)) {
            best = {pictures[middle].seconds, strength};
        }
    }
    return best;
}

std::vector<dissolve> find_crossfades(
    std::span<const thumbnail> pictures, std::span<const double> cuts) {
    std::vector<dissolve> found;
    for (std::size_t middle = 1; middle + 1 < pictures.size(); ++middle) {
        const auto best = crossfade_about(pictures, cuts, middle);
        if (best.strength > 0) found.push_back(best);
    }
    return found;
}

/// Runs of dark pictures between two bright ones. Darkness at the start or the end of the video
/// parts no scenes.
std::vector<dissolve> find_dark_gaps(std::span<const thumbnail> pictures) {
    std::vector<dissolve> found;
    std::size_t start = pictures.size();
    for (std::size_t at = 1; at < pictures.size(); ++at) {
        const bool dark = is_dark(pictures[at]);
        const bool was_dark = is_dark(pictures[at - 1]);
        if (dark && !was_dark) start = at;
        if (!dark && was_dark && start < at) {
            const double middle = (pictures[start].seconds + pictures[at - 1].seconds) / 2;
            found.push_back({middle, 1.0});
        }
    }
    return found;
}

/// Of finds close together the strongest stands for all.
std::vector<double> strongest(std::vector<dissolve> found) {
    std::stable_sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
        return one.strength > other.strength;
    });
    std::vector<double> kept;
    for (const auto& one : found) {
        const double margin = dissolve_distance_seconds_min;
        if (!any_within(kept, one.seconds - margin, one.seconds + margin)) {
            kept.push_back(one.seconds);
        }
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

}  // namespace

std::vector<double> find_dissolves(
    std::span<const thumbnail> pictures, std::span<const double> cuts) {
    auto found = find_crossfades(pictures, cuts);
    const auto gaps = find_dark_gaps(pictures);
    found.insert(found.end(), gaps.begin(), gaps.end());
    std::erase_if(found, [cuts](const dissolve& one) {
        return any_within(
            cuts, one.seconds - cut_distance_seconds_min, one.seconds + cut_distance_seconds_min);
    });
    return strongest(std::move(found));
}

std::vector<double> merge_cuts(std::span<const double> cuts, std::span<const double> dissolves) {
    std::vector<double> merged(cuts.size() + dissolves.size());
    std::merge(cuts.begin(), cuts.end(), dissolves.begin(), dissolves.end(), merged.begin());
    return merged;
}

}  // namespace reelsd::media::picture
