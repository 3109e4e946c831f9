#pragma once

#include "spectrogram.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// A frequency that stands out again and again.
struct held_tone {
    std::size_t bin = 0;  ///< Where it stands out most often.
    double hz = 0;        ///< Centre of the bins in which it stands out.
    double strength = 0;  ///< 0 no more than chance makes, 1 in every spectrum.
};

/// The five strongest tones of `spectra`, or fewer. Notes are held, so that the same bins stand out
/// again and again; voices glide, and noise stands out nowhere twice. `first_bin`: lower bins are
/// left out.
[[nodiscard]] std::vector<held_tone> held_tones(
    std::span<const spectrum* const> spectra, std::size_t first_bin);

/// What is known of one stretch of 3 s.
struct music_block {
    std::size_t first_spectrum = 0;
    std::size_t spectra = 0;
    /// The tones of the quietest 35 % of its spectra: what goes on between words. Above 270 Hz:
    /// what does not just hum.
    std::vector<held_tone> tones;

    /// Sum of the strengths, 0 to 5.
    [[nodiscard]] double tonality() const;
};

/// Blocks of 3 s, one each 1.5 s; a track shorter than 3 s is one block, and one without spectra is
/// none.
[[nodiscard]] std::vector<music_block> music_blocks(std::span<const spectrum> spectra);

}  // namespace reelsd::media::sound
