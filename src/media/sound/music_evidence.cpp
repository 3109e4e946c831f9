#include "music_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace reelsd::media::sound {

namespace {

constexpr std::size_t peaks_counted = 5;
/// 3 s, stepping by 1.5 s.
constexpr std::size_t block_spectra = 128;
constexpr std::size_t block_step = 64;
constexpr double gap_share = 0.35;
constexpr std::size_t gap_first_bin = 25;

std::vector<float> mean_activation(
    std::span<const spectrum* const> spectra, std::size_t first_bin) {
    std::vector<float> mean(spectrum_bins - first_bin, 0.0F);
    for (const spectrum* one : spectra) {
        for (std::size_t k = first_bin; k < spectrum_bins; ++k) {
            mean[k - first_bin] += static_cast<float>(one->active[k]);
        }
    }
    for (float& value : mean) value /= static_cast<float>(spectra.size());
    return mean;
}

/// Heights of all peaks over the higher of the two valleys beside them.
std::vector<float> peak_heights(std::span<const float> curve) {
    std::vector<float> heights;
    std::size_t at = 0;
    while (at + 1 < curve.size()) {
        const std::size_t left = at;
        while (at + 1 < curve.size() && curve[at + 1] >= curve[at]) ++at;
        const std::size_t top = at;
        while (at + 1 < curve.size() && curve[at + 1] < curve[at]) ++at;
        heights.push_back(std::min(curve[top] - curve[left], curve[top] - curve[at]));
    }
    return heights;
}

}  // namespace

double held_tones(std::span<const spectrum* const> spectra, std::size_t first_bin) {
    if (spectra.empty()) return 0;
    auto heights = peak_heights(mean_activation(spectra, first_bin));
    const std::size_t counted = std::min(peaks_counted, heights.size());
    const auto end = heights.begin() + static_cast<std::ptrdiff_t>(counted);
    std::partial_sort(heights.begin(), end, heights.end(), std::greater<>{});
    return std::accumulate(heights.begin(), end, 0.0);
}

double beat_regularity(std::span<const float> onsets) {
    const auto first = static_cast<std::size_t>(0.3 * spectra_per_second);
    const auto last = static_cast<std::size_t>(1.0 * spectra_per_second);
    if (onsets.size() < 2 * last) return 0;
    const double mean =
        std::accumulate(onsets.begin(), onsets.end(), 0.0) / static_cast<double>(onsets.size());
    const auto product = [&](std::size_t lag) {
        double sum = 0;
        for (std::size_t i = 0; i + lag < onsets.size(); ++i) {
            sum += (static_cast<double>(onsets[i]) - mean) *
                   (static_cast<double>(onsets[i + lag]) - mean);
        }
        return sum / static_cast<double>(onsets.size() - lag);
    };
    const double power = product(0);
    if (power <= 0) return 0;
    double best = 0;
    for (std::size_t lag = first; lag <= last; ++lag) best = std::max(best, product(lag) / power);
    return best;
}

std::vector<block_evidence> evidence_of_blocks(std::span<const spectrum> spectra) {
    std::vector<block_evidence> blocks;
    for (std::size_t at = 0; at < spectra.size(); at += block_step) {
        const std::size_t count = std::min(block_spectra, spectra.size() - at);
        if (count < block_spectra && at > 0) break;
        std::vector<const spectrum*> block;
        double power = 0;
        for (const spectrum& one : spectra.subspan(at, count)) {
            block.push_back(&one);
            power += std::pow(10.0, static_cast<double>(one.level_db) / 10.0);
        }
        block_evidence evidence;
        evidence.level_db = 10.0 * std::log10(power / static_cast<double>(count));
        evidence.tones = held_tones(block, 1);
        const auto quiet = static_cast<std::size_t>(gap_share * static_cast<double>(count));
        std::partial_sort(
            block.begin(),
            block.begin() + static_cast<std::ptrdiff_t>(quiet),
            block.end(),
            [](const spectrum* a, const spectrum* b) { return a->level_db < b->level_db; });
        evidence.gap_tones = held_tones(std::span{block}.first(quiet), gap_first_bin);
        blocks.push_back(evidence);
    }
    return blocks;
}

}  // namespace reelsd::media::sound
