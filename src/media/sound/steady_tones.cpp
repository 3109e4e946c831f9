#include "steady_tones.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace reelsd::media::sound {

namespace {

/// Below 32 Hz is only rumble.
constexpr std::size_t first_bin = 3;
constexpr std::array mains_hz{50.0, 60.0};
/// Half a bin, and what the mains themselves drift in their sixth harmonic.
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
    return tones.size() >= hum_tones_min && std::all_of(tones.begin(), tones.end(), harmonic) &&
           std::any_of(tones.begin(), tones.end(), low);
}

bool same_tone(const held_tone& a, const held_tone& b) {
    return std::abs(a.hz - b.hz) < bin_hz;
}

}  // namespace

void remove_steady_tones(std::span<const spectrum> spectra, std::vector<music_block>& blocks) {
    std::vector<const spectrum*> all;
    all.reserve(spectra.size());
    for (const spectrum& one : spectra) all.push_back(&one);
    const std::vector<held_tone> steady = held_tones(all, first_bin);
    for (const double base_hz : mains_hz) {
        if (!is_hum(steady, base_hz)) continue;
        for (music_block& block : blocks) {
            std::erase_if(
                block.tones, [&](const held_tone& tone) { return is_harmonic(tone, base_hz); });
        }
    }
    if (steady.size() != 1) return;
    const bool alone = std::all_of(blocks.begin(), blocks.end(), [&](const music_block& block) {
        return std::all_of(block.tones.begin(), block.tones.end(), [&](const held_tone& tone) {
            return same_tone(tone, steady.front());
        });
    });
    if (!alone) return;
    for (music_block& block : blocks) block.tones.clear();
}

}  // namespace reelsd::media::sound
