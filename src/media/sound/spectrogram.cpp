#include "spectrogram.hpp"

#include "fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace reelsd::media::sound {

namespace {

/// A bin is compared with the mean of 21 bins (226 Hz) around it.
constexpr std::size_t neighbours = 10;
/// How far above that mean it must lie.
constexpr float active_db_min = 3.0F;
/// Loudness is followed in bands of about a third of an octave at the top, narrower than that
/// nowhere.
constexpr std::size_t onset_bands = 24;
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

/// Bands of equal width in the logarithm of frequency, at least one bin each.
std::array<float, onset_bands> band_levels(const bins& power) {
    std::array<float, onset_bands> levels{};
    std::size_t from = 3;
    for (std::size_t band = 0; band < onset_bands; ++band) {
        const double share = static_cast<double>(band + 1) / onset_bands;
        const auto wanted = static_cast<std::size_t>(4.0 * std::pow(spectrum_bins / 4.0, share));
        const std::size_t to = std::clamp(wanted, from + 1, spectrum_bins);
        float sum = 0;
        for (std::size_t k = from; k < to; ++k) sum += power[k];
        // 1e-6 keeps what nobody hears from counting as a rise.
        levels[band] = std::log10(sum + 1e-6F);
        from = to;
    }
    return levels;
}

}  // namespace

std::vector<spectrum> spectra_of(std::span<const float> samples) {
    const fft transform{spectrum_samples};
    const auto window = hann_window();
    std::vector<spectrum> spectra;
    std::array<float, onset_bands> last_bands{};
    for (std::size_t at = 0; at + spectrum_samples <= samples.size(); at += spectrum_step) {
        std::array<std::complex<float>, spectrum_samples> values{};
        float energy = 0;
        for (std::size_t i = 0; i < spectrum_samples; ++i) {
            const float sample = samples[at + i];
            energy += sample * sample;
            values[i] = sample * window[i];
        }
        transform.transform(values);
        bins power{};
        bins level_db{};
        for (std::size_t k = 0; k < spectrum_bins; ++k) {
            // A full-scale sine in the middle of a bin has the power 1.
            power[k] = std::norm(values[k]) * (16.0F / (spectrum_samples * spectrum_samples));
            level_db[k] = decibel(power[k]);
        }
        const auto bands = band_levels(power);
        float onset = 0;
        for (std::size_t band = 0; band < onset_bands && !spectra.empty(); ++band) {
            onset += std::max(bands[band] - last_bands[band], 0.0F);
        }
        last_bands = bands;
        spectra.push_back(
            {.level_db = decibel(energy / spectrum_samples),
             .onset = onset,
             .centroid_hz = centroid_of(power),
             .active = active_bins(level_db)});
    }
    return spectra;
}

}  // namespace reelsd::media::sound
