#include "level.hpp"

#include "sound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace reelsd::media::sound {

namespace {

constexpr double full_scale = 32768.0;
/// Loudest frames below this: a camera's own hiss lies there, and no voice can be understood.
constexpr float silent_db = -60.0F;
constexpr double target_loud_db = -20.0;
/// Quieter tracks than -60 dBFS are silence: nothing is raised further than they would be.
constexpr double gain_db_max = 40.0;
/// Uniform noise in [-a, a] has a root mean square of a / sqrt(3): -70 dBFS is 10.4, so a is 18.
constexpr int noise_amplitude = 18;

double gain_of(float loud_db) {
    const double gain_db = std::min(target_loud_db - static_cast<double>(loud_db), gain_db_max);
    return std::pow(10.0, gain_db / 20.0);
}

}  // namespace

std::vector<float> frame_levels_db(std::span<const std::int16_t> samples) {
    std::vector<float> levels;
    levels.reserve(samples.size() / frame_samples);
    for (std::size_t at = 0; at + frame_samples <= samples.size(); at += frame_samples) {
        double energy = 0;
        for (const std::int16_t sample : samples.subspan(at, frame_samples)) {
            energy += static_cast<double>(sample) * static_cast<double>(sample);
        }
        const double power =
            energy / (full_scale * full_scale * static_cast<double>(frame_samples));
        const double level = power > 0 ? 10.0 * std::log10(power) : level_db_min;
        levels.push_back(std::max(static_cast<float>(level), level_db_min));
    }
    return levels;
}

float level_at_share_db(std::span<const float> levels_db, double share) {
    if (levels_db.empty()) return level_db_min;
    std::vector<float> sorted{levels_db.begin(), levels_db.end()};
    const auto last = static_cast<double>(sorted.size() - 1);
    const auto position = static_cast<std::ptrdiff_t>(std::clamp(share, 0.0, 1.0) * last);
    std::nth_element(sorted.begin(), sorted.begin() + position, sorted.end());
    return sorted[static_cast<std::size_t>(position)];
}

std::vector<std::int16_t> conditioned(std::span<const std::int16_t> samples, float loud_db) {
    const double gain = gain_of(loud_db);
    std::minstd_rand engine{1};
    std::vector<std::int16_t> result;
    result.reserve(samples.size());
    for (const std::int16_t sample : samples) {
        const int noise = static_cast<int>(engine() % (2 * noise_amplitude + 1)) - noise_amplitude;
        const double value = std::round(static_cast<double>(sample) * gain) + noise;
        constexpr double low = std::numeric_limits<std::int16_t>::min();
        constexpr double high = std::numeric_limits<std::int16_t>::max();
        result.push_back(static_cast<std::int16_t>(std::clamp(value, low, high)));
    }
    return result;
}

bool is_silent(std::span<const std::int16_t> samples) {
    const std::vector<float> levels = frame_levels_db(samples);
    return std::all_of(
        levels.begin(), levels.end(), [](float level) { return level <= silent_db; });
}

}  // namespace reelsd::media::sound
