#include "spectrogram.hpp"

#include "fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace reelsd::media::sound {

namespace {

/// A bin is compared with the mean of 21 bins (226 Hz) around it.
constexpr std::size_t neighbours = 10;
/// How far above that mean it must lie.
constexpr float active_db_min = 3.0F;
/// Loudness is followed in 24 bands of a quarter of an octave or so, one bin at least.
constexpr std::size_t onset_bands = 24;
constexpr double first_band_bin = 4.0;
/// Bins [from, to).
struct band {
    std::size_t from;
    std::size_t to;
};
constexpr band low_band{3, 6};
constexpr std::array<band, 2> high_bands{{{372, 440}, {440, 500}}};
constexpr float power_floor = 1e-10F;

using bins = std::array<float, spectrum_bins>;

std::array<float, spectrum_samples> hann_window() {
    std::array<float, spectrum_samples> window{};
    for (std::size_t i = 0; i < spectrum_samples; ++i) {
        const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / spectrum_samples;
        window[i] = static_cast<float>(0.5 - 0.5 * std::cos(phase));
    }
    return window;
}

float decibel(float power) {
    return 10.0F * std::log10(std::max(power, power_floor));
}

std::vector<std::uint8_t> active_bins(const bins& level_db) {
    std::array<double, spectrum_bins + 1> sums{};
    for (std::size_t k = 0; k < spectrum_bins; ++k) {
        sums[k + 1] = sums[k] + static_cast<double>(level_db[k]);
    }
    std::vector<std::uint8_t> active(spectrum_bins, 0);
    for (std::size_t k = 1; k < spectrum_bins; ++k) {
        const std::size_t from = k - std::min(k, neighbours);
        const std::size_t to = std::min(k + neighbours + 1, spectrum_bins);
        const double mean = (sums[to] - sums[from]) / static_cast<double>(to - from);
        active[k] = level_db[k] > static_cast<float>(mean) + active_db_min ? 1 : 0;
    }
    return active;
}

float centroid_of(const bins& power) {
    double weighted = 0;
    double sum = 0;
    for (std::size_t k = 1; k < spectrum_bins; ++k) {
        weighted += static_cast<double>(power[k]) * static_cast<double>(k);
        sum += static_cast<double>(power[k]);
    }
    return sum > 0 ? static_cast<float>(weighted / sum * bin_hz) : 0.0F;
}

/// The logarithm of the power in a band, 1 for a factor of ten.
float loudness(const bins& power, band where) {
    // What nobody hears does not count as a rise.
    constexpr float inaudible = 1e-6F;
    float sum = 0;
    for (std::size_t k = where.from; k < where.to; ++k) sum += power[k];
    return std::log10(sum + inaudible);
}

/// The loudnesses whose rises are onsets: all bands, the low one, the high ones.
struct band_loudness {
    std::array<float, onset_bands> all{};
    float low = 0;
    std::array<float, high_bands.size()> high{};
};

band_loudness loudness_of(const bins& power) {
    band_loudness result;
    const auto edge = [](std::size_t index) {
        const double share = static_cast<double>(index) / onset_bands;
        return static_cast<std::size_t>(
            first_band_bin * std::pow(spectrum_bins / first_band_bin, share));
    };
    for (std::size_t i = 0; i < onset_bands; ++i) {
        const std::size_t from = edge(i);
        const std::size_t to = std::min(std::max(edge(i + 1), from + 1), spectrum_bins);
        result.all[i] = loudness(power, {from, to});
    }
    result.low = loudness(power, low_band);
    for (std::size_t i = 0; i < high_bands.size(); ++i) {
        result.high[i] = loudness(power, high_bands[i]);
    }
    return result;
}

void set_onsets(spectrum& target, const band_loudness& now, const band_loudness& before) {
    for (std::size_t i = 0; i < onset_bands; ++i) {
        target.onset += std::max(now.all[i] - before.all[i], 0.0F);
    }
    target.low_onset = std::max(now.low - before.low, 0.0F);
    for (std::size_t i = 0; i < high_bands.size(); ++i) {
        target.high_onset += std::max(now.high[i] - before.high[i], 0.0F);
    }
}

/// The power of a full-scale sine in the middle of a bin is 1.
bins power_of(std::span<const float> samples, fft& transform, std::span<const float> window) {
    std::array<float, spectrum_samples> windowed{};
    for (std::size_t i = 0; i < spectrum_samples; ++i) windowed[i] = samples[i] * window[i];
    const auto values = transform.transform(windowed);
    constexpr float scale = 16.0F / (spectrum_samples * spectrum_samples);
    bins power{};
    for (std::size_t k = 0; k < spectrum_bins; ++k) power[k] = std::norm(values[k]) * scale;
    return power;
}

float mean_square(std::span<const float> samples) {
    float sum = 0;
    for (const float sample : samples) sum += sample * sample;
    return sum / static_cast<float>(samples.size());
}

}  // namespace

std::vector<spectrum> spectra_of(std::span<const float> samples) {
    fft transform{spectrum_samples};
    const auto window = hann_window();
    std::vector<spectrum> spectra;
    band_loudness before;
    for (std::size_t at = 0; at + spectrum_samples <= samples.size(); at += spectrum_step) {
        const auto part = samples.subspan(at, spectrum_samples);
        const bins power = power_of(part, transform, window);
        bins level_db{};
        std::transform(power.begin(), power.end(), level_db.begin(), decibel);
        const band_loudness now = loudness_of(power);
        spectrum one;
        one.level_db = decibel(mean_square(part));
        one.centroid_hz = centroid_of(power);
        one.active = active_bins(level_db);
        if (!spectra.empty()) set_onsets(one, now, before);
        before = now;
        spectra.push_back(std::move(one));
    }
    return spectra;
}

}  // namespace reelsd::media::sound
