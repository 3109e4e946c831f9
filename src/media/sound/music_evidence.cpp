#include "music_evidence.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace reelsd::media::sound {
namespace {

constexpr std::size_t tones_counted = 5;
/// Chance alone causes peaks of up to 0.3 over a second of sound, and higher ones over less: a
/// syllable is then held as long as a note. Only the rest counts.
constexpr double chance_height = 0.3;
constexpr double chance_spectra = spectra_per_second;
/// 3 s, stepping by 1.5 s.
constexpr std::size_t block_spectra = 128;
constexpr std::size_t block_step = 64;
/// Speech pauses for more than a third of the time.
constexpr double gap_share = 0.35;
/// 270 Hz.
constexpr std::size_t gap_first_bin = 25;

/// For each bin the share of the spectra in which it is active; 0 below `first_bin`.
std::vector<double> mean_activation(
    std::span<const spectrum* const> spectra, std::size_t first_bin) {
    std::vector<double> mean(spectrum_bins, 0.0);
    for (const spectrum* next : spectra) {
        for (std::size_t k = first_bin; k < spectrum_bins; ++k) mean[k] += next->active[k];
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

/// All peaks in the mean of `spectra` whose height over the higher neighbouring valley exceeds
/// chance.
std::vector<held_tone> peaks_of(
    std::span<const double> curve, std::size_t first_bin, std::size_t spectra) {
    const double rarity = chance_spectra / static_cast<double>(spectra);
    const double chance = std::min(1.0, chance_height * std::max(1.0, rarity));
    std::vector<held_tone> peaks;
    std::size_t at = first_bin;
    while (at + 1 < curve.size()) {
        const std::size_t left = at;
        while (at + 1 < curve.size() && curve[at + 1] >= curve[at]) ++at;
        const std::size_t top = at;
        while (at + 1 < curve.size() && curve[at + 1] < curve[at]) ++at;
        const double height = std::min(curve[top] - curve[left], curve[top] - curve[at]);
        if (height > chance) {
            peaks.push_back(
                {.bin = top,
                 .hz = centre_hz(curve, left, at),
                 .strength = (height - chance) / (1.0 - chance)});
        }
    }
    return peaks;
}

std::vector<const spectrum*> pointers_to(std::span<const spectrum> spectra) {
    std::vector<const spectrum*> pointers;
    pointers.reserve(spectra.size());
    for (const spectrum& target : spectra) pointers.push_back(&target);
    return pointers;
}

std::vector<held_tone> gap_tones(std::span<const spectrum> block) {
    auto quietest = pointers_to(block);
    const auto kept = static_cast<std::size_t>(gap_share * static_cast<double>(block.size()));
    std::partial_sort(
        quietest.begin(),
        quietest.begin() + static_cast<std::ptrdiff_t>(kept),
        quietest.end(),
        [](const spectrum* a, const spectrum* b) { return a->level_db < b->level_db; });
    return held_tones(std::span{quietest}.first(kept), gap_first_bin);
}

/// Only rumble is below 32 Hz.
constexpr std::size_t first_bin = 3;
constexpr std::array mains_hz{50.0, 60.0};
/// Half a bin, and the drift of the sixth harmonic of the mains frequency.
constexpr double harmonic_tolerance_hz = bin_hz / 2 + 0.6;
constexpr std::size_t hum_tones_min = 2;
constexpr double hum_lowest_hz_max = 130.0;

bool is_harmonic(const held_tone& tone, double base_hz) {
    const double number = std::max(1.0, std::round(tone.hz / base_hz));
    return std::abs(tone.hz - number * base_hz) <= harmonic_tolerance_hz;
}

bool is_hum(std::span<const held_tone> tones, double base_hz) {
    const auto harmonic = [&](const held_tone& tone) { return is_harmonic(tone, base_hz); };
    const auto low = [](const held_tone& tone) { return tone.hz <= hum_lowest_hz_max; };
    return tones.size() >= hum_tones_min && std::ranges::all_of(tones, harmonic) &&
           std::ranges::any_of(tones, low);
}

bool same_tone(const held_tone& a, const held_tone& b) {
    return std::abs(a.hz - b.hz) < bin_hz;
}

/// The tones of a block start within it when they are less than half as frequent before.
constexpr double before_share_max = 0.5;
/// A weaker block next to a musical one belongs to it if it contains no speech.
constexpr double weak_tonality = 0.05;
/// Notes fade by less than this between their beats.
constexpr float fading_db = 30.0F;
/// A third of a second below that level ends the music.
constexpr std::size_t pause_spectra = 15;

/// Number of the block's tones that are active in each of its spectra.
std::vector<double> active_tones(std::span<const spectrum> spectra, const music_block& block) {
    std::vector<double> counts;
    for (const spectrum& next : spectra.subspan(block.first_spectrum, block.spectra)) {
        const auto count = std::ranges::count_if(
            block.tones, [&](const held_tone& tone) { return next.active[tone.bin] != 0; });
        counts.push_back(static_cast<double>(count));
    }
    return counts;
}

/// Index at which `values` step up: the split with the least variance in both parts; 0 for none.
std::size_t step_up(std::span<const double> values) {
    double total = 0;
    for (const double value : values) total += value;
    const auto size = static_cast<double>(values.size());
    double before = 0;
    double best_gain = 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        before += values[i - 1];
        const auto count = static_cast<double>(i);
        const double mean_before = before / count;
        const double mean_after = (total - before) / (size - count);
        if (mean_before > before_share_max * mean_after) continue;
        const double difference = mean_after - mean_before;
        const double gain = difference * difference * count * (size - count);
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = i;
    }
    return best;
}

/// The first block that is musical and whose next block, if any, is musical too.
std::size_t first_musical_block(std::span<const music_block> blocks) {
    const auto musical = [&](std::size_t i) { return blocks[i].tonality() > musical_tonality; };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (musical(i) && (i + 1 == blocks.size() || musical(i + 1))) return i;
    }
    return 0;
}

/// Level of the loudest spectrum: unlike a mean level, it does not depend on pauses.
float level_of(std::span<const spectrum> spectra, const music_block& block) {
    float level = audible_db;
    for (const spectrum& next : spectra.subspan(block.first_spectrum, block.spectra)) {
        level = std::max(level, next.level_db);
    }
    return level;
}

/// Moves `start` back, at most to `limit`, over spectra above `faded_db` and without speech.
std::size_t extended_back(
    std::span<const spectrum> spectra, const std::vector<bool>& spoken, std::size_t start,
    std::size_t limit, float faded_db) {
    std::size_t first = start;
    for (std::size_t i = start; i > limit; --i) {
        if (spoken[i - 1] || first - i > pause_spectra) break;
        if (spectra[i - 1].level_db > faded_db) first = i - 1;
    }
    return first;
}

constexpr double period_seconds_min = 0.3;
constexpr double period_seconds_max = 1.0;
/// The comb compares a beat with its next three repetitions.
constexpr int comb_teeth = 4;
constexpr auto onsets_min = static_cast<std::size_t>(4.0 * spectra_per_second);
constexpr double tempo_bpm_min = 60.0;
constexpr double tempo_bpm_max = 180.0;
constexpr double tempo_bpm_step = 0.5;
constexpr int tempo_steps = static_cast<int>((tempo_bpm_max - tempo_bpm_min) / tempo_bpm_step);
/// Preferred tapping tempo; decides between a tempo and its double.
constexpr double tempo_bpm_usual = 115.0;
constexpr double tempo_octaves_wide = 0.9;
/// Speech has less regular onsets.
constexpr double tempo_regularity_min = 0.22;
constexpr std::size_t trend_spectra = 43;

/// Onsets minus their mean over a second, at least 0: a long swell is not a beat.
std::vector<double> without_trend(std::span<const float> onsets) {
    auto values = moving_means(onsets, trend_spectra / 2);
    for (std::size_t i = 0; i < onsets.size(); ++i) {
        values[i] = std::max(static_cast<double>(onsets[i]) - values[i], 0.0);
    }
    return values;
}

double sharpness_of(std::span<const double> onsets) {
    double sum = 0;
    double squares = 0;
    for (const double onset : onsets) {
        sum += onset;
        squares += onset * onset;
    }
    return sum > 0 ? squares * static_cast<double>(onsets.size()) / (sum * sum) : 0;
}

/// Normalised to 1 at lag 0; empty when all values are equal.
std::vector<double> autocorrelation(std::vector<double> values, std::size_t lags) {
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    for (double& value : values) value -= mean;
    std::vector<double> result(lags, 0.0);
    for (std::size_t lag = 0; lag < lags && lag < values.size(); ++lag) {
        double sum = 0;
        for (std::size_t i = 0; i + lag < values.size(); ++i) sum += values[i] * values[i + lag];
        result[lag] = sum / static_cast<double>(values.size() - lag);
    }
    if (result[0] <= 1e-12) return {};
    const double power = result[0];
    for (double& value : result) value /= power;
    return result;
}

double interpolated(std::span<const double> curve, double at) {
    const auto low = static_cast<std::size_t>(at);
    if (low + 1 >= curve.size()) return 0;
    const double part = at - static_cast<double>(low);
    return curve[low] * (1 - part) + curve[low + 1] * part;
}

double comb_score(std::span<const double> correlation, double tempo_bpm) {
    const double period = 60.0 / tempo_bpm * spectra_per_second;
    double score = 0;
    for (int tooth = 1; tooth <= comb_teeth; ++tooth)
        score += interpolated(correlation, period * tooth);
    const double octaves = std::log2(tempo_bpm / tempo_bpm_usual) / tempo_octaves_wide;
    return score / comb_teeth * std::exp(-0.5 * octaves * octaves);
}

}  // namespace

std::vector<held_tone> held_tones(std::span<const spectrum* const> spectra, std::size_t first_bin) {
    if (spectra.empty()) return {};
    auto peaks = peaks_of(mean_activation(spectra, first_bin), first_bin, spectra.size());
    std::ranges::sort(
        peaks, [](const held_tone& a, const held_tone& b) { return a.strength > b.strength; });
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

void remove_steady_tones(std::span<const spectrum> spectra, std::vector<music_block>& blocks) {
    const std::vector<held_tone> steady = held_tones(pointers_to(spectra), first_bin);
    for (const double base_hz : mains_hz) {
        if (!is_hum(steady, base_hz)) continue;
        for (music_block& block : blocks) {
            std::erase_if(
                block.tones, [&](const held_tone& tone) { return is_harmonic(tone, base_hz); });
        }
    }
    if (steady.size() != 1) return;
    const bool alone = std::ranges::all_of(blocks, [&](const music_block& block) {
        return std::ranges::all_of(
            block.tones, [&](const held_tone& tone) { return same_tone(tone, steady.front()); });
    });
    if (!alone) return;
    for (music_block& block : blocks) block.tones.clear();
}

std::size_t first_audible_spectrum(std::span<const spectrum> spectra) {
    const auto first = std::ranges::find_if(
        spectra, [](const spectrum& next) { return next.level_db > audible_db; });
    return static_cast<std::size_t>(first - spectra.begin());
}

std::size_t start_of_tones(
    std::span<const spectrum> spectra, std::span<const music_block> blocks,
    const std::vector<bool>& spoken) {
    invariant(!blocks.empty() && spoken.size() == spectra.size());
    const std::size_t first = first_musical_block(blocks);
    const music_block& block = blocks[first];
    const std::size_t step = step_up(active_tones(spectra, block));
    if (step > 0) return block.first_spectrum + step;
    std::size_t weak = first;
    while (weak > 0 && blocks[weak - 1].tonality() > weak_tonality) --weak;
    return extended_back(
        spectra,
        spoken,
        block.first_spectrum,
        blocks[weak].first_spectrum,
        std::max(level_of(spectra, block) - fading_db, audible_db));
}

beat_estimate beat_of(std::span<const float> onsets) {
    beat_estimate estimate;
    if (onsets.size() < onsets_min) return estimate;
    constexpr auto lags = static_cast<std::size_t>(comb_teeth * spectra_per_second) + 3;
    std::vector<double> sharpened = without_trend(onsets);
    estimate.sharpness = sharpness_of(sharpened);
    const std::vector<double> correlation = autocorrelation(std::move(sharpened), lags);
    if (correlation.empty()) return estimate;
    constexpr auto first = static_cast<std::ptrdiff_t>(period_seconds_min * spectra_per_second);
    constexpr auto last = static_cast<std::ptrdiff_t>(period_seconds_max * spectra_per_second);
    const double strongest =
        *std::max_element(correlation.begin() + first, correlation.begin() + last + 1);
    estimate.regularity = std::clamp(strongest, 0.0, 1.0);
    if (estimate.regularity < tempo_regularity_min) return estimate;
    double best_score = 0;
    for (int step = 0; step <= tempo_steps; ++step) {
        const double tempo = tempo_bpm_min + step * tempo_bpm_step;
        const double score = comb_score(correlation, tempo);
        if (score <= best_score) continue;
        best_score = score;
        estimate.tempo_bpm = tempo;
    }
    return estimate;
}

}  // namespace reelsd::media::sound
