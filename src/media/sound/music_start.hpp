#pragma once

#include "music_evidence.hpp"
#include "spectrogram.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Tonality from which a block is taken for music. Clean speech stays below 0.05 and noise below
/// 0.15; music under speech is seldom below 0.5.
inline constexpr double musical_tonality = 0.25;

/// Quieter than that is silence to the music detector.
inline constexpr float audible_db = -60.0F;

/// The first spectrum that is not silence; `spectra.size()` when all are.
[[nodiscard]] std::size_t first_audible_spectrum(std::span<const spectrum> spectra);

/// The spectrum at which tonal music sets in, to half a second or so. `spoken` says for each
/// spectrum whether somebody speaks; `blocks` are those of `spectra`, not empty.
[[nodiscard]] std::size_t start_of_tones(
    std::span<const spectrum> spectra, std::span<const music_block> blocks,
    const std::vector<bool>& spoken);

}  // namespace reelsd::media::sound
