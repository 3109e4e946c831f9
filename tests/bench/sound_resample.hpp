#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// 16,000 Hz to 11,025 Hz, -1 to 1: a windowed sinc of 32 taps a side. The media child has the
/// resampler of FFmpeg for that; this one keeps benchmarks and tests of the layer free of it.
inline std::vector<float> at_music_rate(std::span<const std::int16_t> samples) {
    constexpr double ratio = 16'000.0 / 11'025.0;
    constexpr double cut = 0.45 * 11'025.0 / 16'000.0;  // Of the source's rate; 10 % below Nyquist.
    constexpr int taps = 32;
    const auto size = static_cast<std::ptrdiff_t>(samples.size());
    std::vector<float> result(static_cast<std::size_t>(static_cast<double>(size) / ratio));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double centre = static_cast<double>(i) * ratio;
        const auto middle = static_cast<std::ptrdiff_t>(centre);
        double sum = 0;
        for (std::ptrdiff_t k = middle - taps + 1; k <= middle + taps; ++k) {
            if (k < 0 || k >= size) continue;
            const double x = static_cast<double>(k) - centre;
            const double angle = 2.0 * std::numbers::pi * cut * x;
            const double sinc = x == 0.0 ? 1.0 : std::sin(angle) / angle;
            const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * x / taps);
            sum += samples[static_cast<std::size_t>(k)] * 2.0 * cut * sinc * window;
        }
        result[i] = static_cast<float>(sum / 32768.0);
    }
    return result;
}

}  // namespace reelsd::media::sound
