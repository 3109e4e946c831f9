#include "tempo.hpp"

#include "spectrogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace reelsd::media::sound {

namespace {

constexpr double period_seconds_min = 0.3;
constexpr double period_seconds_max = 1.0;
/// The comb looks at a beat and its next three repetitions.
constexpr int comb_teeth = 4;
constexpr auto onsets_min = static_cast<std::size_t>(4.0 * spectra_per_second);
constexpr double tempo_bpm_min = 60.0;
constexpr double tempo_bpm_max = 180.0;
constexpr double tempo_bpm_step = 0.5;
constexpr int tempo_steps = static_cast<int>((tempo_bpm_max - tempo_bpm_min) / tempo_bpm_step);
/// People tap best near this; decides between a tempo and its double.
constexpr double tempo_bpm_usual = 115.0;
constexpr double tempo_octaves_wide = 0.9;
/// Less regular onsets come from speech as well.
constexpr double tempo_regularity_min = 0.22;
constexpr std::size_t trend_spectra = 43;

/// Onsets less their mean over a second, at least zero: a long swell is no beat.
std::vector<double> without_trend(std::span<const float> onsets) {
    std::vector<double> sums(onsets.size() + 1, 0.0);
    for (std::size_t i = 0; i < onsets.size(); ++i) {
        sums[i + 1] = sums[i] + static_cast<double>(onsets[i]);
    }
    std::vector<double> result(onsets.size());
    for (std::size_t i = 0; i < onsets.size(); ++i) {
        const std::size_t from = i - std::min(i, trend_spectra / 2);
        const std::size_t to = std::min(i + trend_spectra / 2 + 1, onsets.size());
        const double mean = (sums[to] - sums[from]) / static_cast<double>(to - from);
        result[i] = std::max(static_cast<double>(onsets[i]) - mean, 0.0);
    }
    return result;
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

/// Normalised to 1 at lag 0; empty when there is nothing to compare.
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

double between(std::span<const double> curve, double at) {
    const auto low = static_cast<std::size_t>(at);
    if (low + 1 >= curve.size()) return 0;
    const double part = at - static_cast<double>(low);
    return curve[low] * (1 - part) + curve[low + 1] * part;
}

double comb_score(std::span<const double> correlation, double tempo_bpm) {
    const double period = 60.0 / tempo_bpm * spectra_per_second;
    double score = 0;
    for (int tooth = 1; tooth <= comb_teeth; ++tooth) score += between(correlation, period * tooth);
    const double octaves = std::log2(tempo_bpm / tempo_bpm_usual) / tempo_octaves_wide;
    return score / comb_teeth * std::exp(-0.5 * octaves * octaves);
}

}  // namespace

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
