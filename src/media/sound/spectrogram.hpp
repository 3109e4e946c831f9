#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// 93 ms every 23 ms at 11,025 Hz: bins of 10.8 Hz tell neighbouring notes apart from 200 Hz on.
inline constexpr std::size_t spectrum_samples = 1024;
inline constexpr std::size_t spectrum_step = 256;
inline constexpr std::size_t spectrum_bins = spectrum_samples / 2;
inline constexpr double spectra_per_second = 11'025.0 / 256.0;
inline constexpr double bin_hz = 11'025.0 / 1024.0;

/// What the music detector keeps of each short spectrum: 0.5 KB, so 90 s are 2 MB.
struct spectrum {
    float level_db = 0;  ///< Below full scale; -100 in digital silence.
    /// Rises of loudness since the last spectrum, at least 0: summed over all bands; between 32 and
    /// 65 Hz, where drums sound and nobody speaks; and above 4 kHz, where cymbals do.
    float onset = 0;
    float low_onset = 0;
    float high_onset = 0;
    float centroid_hz = 0;             ///< Where the energy's centre lies; 0 in silence.
    std::vector<std::uint8_t> active;  ///< 1 for each bin that stands out of its neighbourhood.
};

/// `samples`: mono, 11,025 Hz, -1 to 1. One entry for each whole window; none when shorter than
/// one.
[[nodiscard]] std::vector<spectrum> spectra_of(std::span<const float> samples);

}  // namespace reelsd::media::sound
