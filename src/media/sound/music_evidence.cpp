#include "music_evidence.hpp"

#include <algorithm>
#include <numeric>

namespace reelsd::media::sound {

namespace {

constexpr std::size_t tones_counted = 5;
/// Over a second of sound, chance alone makes peaks of up to 0.3; only what is above counts.
constexpr double chance_height = 0.3;
/// 3 s, stepping by 1.5 s.
constexpr std::size_t block_spectra = 128;
constexpr std::size_t block_step = 64;
/// Speech pauses for more than a third of the time.
constexpr double gap_share = 0.35;
/// 270 Hz.
constexpr std::size_t gap_first_bin = 25;

/// For each bin the share of the spectra in which it stands out; lower bins than `first_bin` are 0.
std::vector<double> mean_activation(
    std::span<const spectrum* const> spectra, std::size_t first_bin) {
    std::vector<double> mean(spectrum_bins, 0.0);
    for (const spectrum* one : spectra) {
        for (std::size_t k = first_bin; k < spectrum_bins; ++k) mean[k] += one->active[k];
    }
    for (double& value : mean) value /= static_cast<double>(spectra.size());
    return mean;
}

/// Centre of the part of `curve` between two valleys, above the higher of them.
double centre_hz(std::span<const double> curve, std::size_t left, std::size_t right) {
    const double valley = std::max(curve[left], curve[right]);
    double sum = 0;
    double weighted = 0;
    for (std::size_t k = left; k <= right; ++k) {
        const double weight = std::max(curve[k] - valley, 0.0);
        sum += weight;
        weighted += weight * static_cast<double>(k);
    }
    return sum > 0 ? weighted / sum * bin_hz : static_cast<double>(left) * bin_hz;
}

/// All peaks that are higher than chance over the higher of the two valleys beside them.
std::vector<held_tone> peaks_of(std::span<const double> curve, std::size_t first_bin) {
    std::vector<held_tone> peaks;
    std::size_t at = first_bin;
    while (at + 1 < curve.size()) {
        const std::size_t left = at;
        while (at + 1 < curve.size() && curve[at + 1] >= curve[at]) ++at;
        const std::size_t top = at;
        while (at + 1 < curve.size() && curve[at + 1] < curve[at]) ++at;
        const double height = std::min(curve[top] - curve[left], curve[top] - curve[at]);
        if (height > chance_height) {
            peaks.push_back(
                {.bin = top,
                 .hz = centre_hz(curve, left, at),
                 .strength = (height - chance_height) / (1.0 - chance_height)});
        }
    }
    return peaks;
}

std::vector<held_tone> gap_tones(std::span<const spectrum> block) {
    std::vector<const spectrum*> quietest;
    quietest.reserve(block.size());
    for (const spectrum& one : block) quietest.push_back(&one);
    const auto kept = static_cast<std::size_t>(gap_share * static_cast<double>(block.size()));
    std::partial_sort(
        quietest.begin(),
        quietest.begin() + static_cast<std::ptrdiff_t>(kept),
        quietest.end(),
        [](const spectrum* a, const spectrum* b) { return a->level_db < b->level_db; });
    return held_tones(std::span{quietest}.first(kept), gap_first_bin);
}

}  // namespace

std::vector<held_tone> held_tones(std::span<const spectrum* const> spectra, std::size_t first_bin) {
    if (spectra.empty()) return {};
    auto peaks = peaks_of(mean_activation(spectra, first_bin), first_bin);
    std::sort(peaks.begin(), peaks.end(), [](const held_tone& a, const held_tone& b) {
        return a.strength > b.strength;
    });
    if (peaks.size() > tones_counted) peaks.resize(tones_counted);
    return peaks;
}

double music_block::tonality() const {
    return std::accumulate(tones.begin(), tones.end(), 0.0, [](double sum, const held_tone& tone) {
        return sum + tone.strength;
    });
}

std::vector<music_block> music_blocks(std::span<const spectrum> spectra) {
    std::vector<music_block> blocks;
    for (std::size_t at = 0; at < spectra.size(); at += block_step) {
        const std::size_t count = std::min(block_spectra, spectra.size() - at);
        if (count < block_spectra && at > 0) break;
        blocks.push_back({at, count, gap_tones(spectra.subspan(at, count))});
    }
    return blocks;
}

}  // namespace reelsd::media::sound
