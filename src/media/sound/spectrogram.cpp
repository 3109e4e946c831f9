#include "spectrogram.hpp"

extern "C" {
#include <libavutil/tx.h>
}

#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <new>
#include <numbers>
#include <numeric>
#include <utility>

namespace reelsd::media::sound {
namespace {

/// A bin is compared with the mean of 21 bins (226 Hz) around it.
constexpr std::size_t neighbour_bins = 10;
/// Distance above that mean at which a bin is active.
constexpr float active_db_min = 3.0F;
/// Loudness is measured in 24 bands of about a quarter of an octave, at least one bin each.
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

float decibel(float power) {
    return 10.0F * std::log10(std::max(power, power_floor));
}

std::vector<std::uint8_t> active_bins(const bins& level_db) {
    const auto means = moving_means(level_db, neighbour_bins);
    std::vector<std::uint8_t> active(spectrum_bins, 0);
    for (std::size_t k = 1; k < spectrum_bins; ++k) {
        active[k] = level_db[k] > static_cast<float>(means[k]) + active_db_min ? 1 : 0;
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
    // Inaudible changes are not onsets.
    constexpr float inaudible = 1e-6F;
    float sum = 0;
    for (std::size_t k = where.from; k < where.to; ++k) sum += power[k];
    return std::log10(sum + inaudible);
}

/// Loudness by band, whose rises are onsets.
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

using block = std::array<float, spectrum_samples>;

/// The samples without their offset, which is inaudible.
block centred(std::span<const float> samples) {
    const float mean = std::accumulate(samples.begin(), samples.end(), 0.0F) / spectrum_samples;
    block result{};
    std::transform(samples.begin(), samples.end(), result.begin(), [mean](float sample) {
        return sample - mean;
    });
    return result;
}

float mean_square(std::span<const float> samples) {
    float sum = 0;
    for (const float sample : samples) sum += sample * sample;
    return sum / static_cast<float>(samples.size());
}

}  // namespace

std::vector<double> moving_means(std::span<const float> values, std::size_t neighbours) {
    std::vector<double> sums(values.size() + 1, 0.0);
    std::inclusive_scan(values.begin(), values.end(), sums.begin() + 1, std::plus<double>{}, 0.0);
    std::vector<double> means(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t from = i - std::min(i, neighbours);
        const std::size_t to = std::min(i + neighbours + 1, values.size());
        means[i] = (sums[to] - sums[from]) / static_cast<double>(to - from);
    }
    return means;
}

std::vector<float> hann_window(std::size_t length) {
    std::vector<float> window(length);
    for (std::size_t i = 0; i < length; ++i) {
        const double phase =
            2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
        window[i] = static_cast<float>(0.5 - 0.5 * std::cos(phase));
    }
    return window;
}

fft::fft(std::size_t length) : length_{length}, bins_(length / 2 + 1) {
    invariant(length >= 8 && std::has_single_bit(length));
    constexpr float scale = 1;
    AVTXContext* context = nullptr;
    const int failure = av_tx_init(
        &context,
        &run_,
        AV_TX_FLOAT_RDFT,
        /*inv=*/0,
        static_cast<int>(length),
        &scale,
        AV_TX_UNALIGNED);
    if (failure < 0) throw std::bad_alloc{};
    context_.reset(context);
}

std::span<const std::complex<float>> fft::transform(std::span<float> samples) {
    invariant(samples.size() == length_);
    run_(context_.get(), bins_.data(), samples.data(), sizeof(float));
    return bins_;
}

void fft::deleter::operator()(AVTXContext* context) const {
    av_tx_uninit(&context);
}

std::vector<spectrum> spectra_of(std::span<const float> samples) {
    fft transform{spectrum_samples};
    const auto window = hann_window(spectrum_samples);
    std::vector<spectrum> spectra;
    band_loudness before;
    for (std::size_t at = 0; at + spectrum_samples <= samples.size(); at += spectrum_step) {
        const block part = centred(samples.subspan(at, spectrum_samples));
        const bins power = power_of(part, transform, window);
        bins level_db{};
        std::transform(power.begin(), power.end(), level_db.begin(), decibel);
        const band_loudness now = loudness_of(power);
        spectrum next;
        next.level_db = decibel(mean_square(part));
        next.centroid_hz = centroid_of(power);
        next.active = active_bins(level_db);
        if (!spectra.empty()) set_onsets(next, now, before);
        before = now;
        spectra.push_back(std::move(next));
    }
    return spectra;
}

}  // namespace reelsd::media::sound
