#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <random>
#include <span>
#include <vector>

/// Deterministic sounds for tests.
namespace reelsd::media::sound::generated {

inline std::vector<float> silence(double seconds, int rate_hz) {
    return std::vector<float>(static_cast<std::size_t>(seconds * rate_hz), 0.0F);
}

/// Adds a sine from `start_seconds` on for `seconds`.
struct tone {
    double hz;
    double amplitude;
    double start_seconds;
    double seconds;
};

inline void add(std::vector<float>& sound, int rate_hz, const tone& added) {
    const auto first = static_cast<std::size_t>(added.start_seconds * rate_hz);
    const auto count = static_cast<std::size_t>(added.seconds * rate_hz);
    for (std::size_t i = 0; i < count && first + i < sound.size(); ++i) {
        const double phase = 2.0 * std::numbers::pi * added.hz * static_cast<double>(i) / rate_hz;
        sound[first + i] += static_cast<float>(added.amplitude * std::sin(phase));
    }
}

inline void add_noise(std::vector<float>& sound, double amplitude, unsigned seed = 1) {
    std::minstd_rand engine{seed};
    std::uniform_real_distribution<float> value{-1.0F, 1.0F};
    for (float& sample : sound) sample += static_cast<float>(amplitude) * value(engine);
}

/// A short burst of noise each `period_seconds`.
inline void add_clicks(std::vector<float>& sound, int rate_hz, double period_seconds) {
    std::minstd_rand engine{7};
    std::uniform_real_distribution<float> value{-0.5F, 0.5F};
    const auto count = static_cast<std::size_t>(0.05 * rate_hz);
    for (int beat = 0;; ++beat) {
        const auto first = static_cast<std::size_t>(beat * period_seconds * rate_hz);
        if (first >= sound.size()) return;
        for (std::size_t i = 0; i < count && first + i < sound.size(); ++i) {
            const auto fading = std::exp(-static_cast<double>(i) / (0.01 * rate_hz));
            sound[first + i] += value(engine) * static_cast<float>(fading);
        }
    }
}

/// Four chords of three notes, two seconds each, over and over.
inline void add_chords(std::vector<float>& sound, int rate_hz, double amplitude, double from) {
    constexpr double chords[4][3] = {
        {261.6, 329.6, 392.0}, {220.0, 261.6, 329.6}, {349.2, 440.0, 523.3}, {293.7, 392.0, 493.9}};
    const double seconds = static_cast<double>(sound.size()) / rate_hz;
    for (int i = 0; from + 2.0 * i < seconds; ++i) {
        for (const double hz : chords[i % 4]) {
            for (const double harmonic : {1.0, 2.0, 3.0}) {
                add(sound, rate_hz, {hz * harmonic, amplitude / harmonic, from + 2.0 * i, 2.0});
            }
        }
    }
}

inline std::vector<std::int16_t> as_samples(std::span<const float> sound) {
    std::vector<std::int16_t> samples;
    samples.reserve(sound.size());
    for (const float value : sound) {
        samples.push_back(static_cast<std::int16_t>(std::lround(value * 32'000.0F)));
    }
    return samples;
}

}  // namespace reelsd::media::sound::generated
