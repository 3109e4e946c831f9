#include "narrow_band.hpp"

#include "fft.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>

namespace reelsd::media::sound {

namespace {

constexpr std::size_t window_samples = 512;
/// Bins are 31.25 Hz wide.
constexpr std::size_t below_from = 96;
constexpr std::size_t below_to = 128;
constexpr std::size_t above_from = 141;
constexpr std::size_t above_to = 208;
constexpr double narrow_db_max = -20.0;
constexpr double mirror_gain = 0.5;
constexpr std::size_t taps = 31;
constexpr std::size_t middle_tap = taps / 2;

double band_power(std::span<const std::complex<float>> spectrum, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) sum += static_cast<double>(std::norm(spectrum[k]));
    return sum;
}

/// Passes what lies above a quarter of the sampling rate; Hamming window.
std::array<double, taps> high_pass() {
    constexpr double cut = 0.53;  // Of half the sampling rate: the slope ends at the edge.
    constexpr auto middle = static_cast<double>(middle_tap);
    std::array<double, taps> filter{};
    for (std::size_t i = 0; i < taps; ++i) {
        const double k = static_cast<double>(i) - middle;
        const double angle = std::numbers::pi * k;
        const double low_pass = k == 0.0 ? cut : std::sin(cut * angle) / angle;
        const double window = 0.54 + 0.46 * std::cos(angle / (middle + 1));
        filter[i] = ((k == 0.0 ? 1.0 : 0.0) - low_pass) * window;
    }
    return filter;
}

}  // namespace

double high_band_db(std::span<const std::int16_t> samples) {
    fft transform{window_samples};
    double below = 0;
    double above = 0;
    for (std::size_t at = 0; at + window_samples <= samples.size(); at += window_samples) {
        std::array<float, window_samples> windowed{};
        for (std::size_t i = 0; i < window_samples; ++i) {
            const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / window_samples;
            const auto window = static_cast<float>(0.5 - 0.5 * std::cos(phase));
            windowed[i] = static_cast<float>(samples[at + i]) * window;
        }
        const auto values = transform.transform(windowed);
        below += band_power(values, below_from, below_to);
        above += band_power(values, above_from, above_to);
    }
    // One unit of power, so that silence is no division by zero.
    return 10.0 * std::log10((above + 1.0) / (below + 1.0));
}

void widen_narrow_band(std::vector<std::int16_t>& samples) {
    if (high_band_db(samples) > narrow_db_max) return;
    const auto filter = high_pass();
    // Changing the sign of every other sample turns the spectrum around.
    std::vector<double> mirrored(samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        mirrored[i] = i % 2 == 0 ? samples[i] : -samples[i];
    }
    for (std::size_t i = middle_tap; i + middle_tap < samples.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < taps; ++k) sum += filter[k] * mirrored[i + middle_tap - k];
        constexpr double low = std::numeric_limits<std::int16_t>::min();
        constexpr double high = std::numeric_limits<std::int16_t>::max();
        const double value = std::clamp(samples[i] + mirror_gain * sum, low, high);
        samples[i] = static_cast<std::int16_t>(std::lround(value));
    }
}

}  // namespace reelsd::media::sound
