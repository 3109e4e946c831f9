#pragma once

#include "spectrogram.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Sum of the five strongest peaks of the mean activation over `spectra`, 0 to 5: notes are held,
/// so that the same bins stand out again and again; voices glide and noise stands out nowhere
/// twice. `first_bin`: lower bins are left out.
[[nodiscard]] double held_tones(std::span<const spectrum* const> spectra, std::size_t first_bin);

/// Height of the strongest peak of the autocorrelation of `onsets` between 0.3 and 1 s, 0 to 1.
[[nodiscard]] double beat_regularity(std::span<const float> onsets);

/// What is known of one stretch of some 3 s.
struct block_evidence {
    double level_db = 0;
    double tones = 0;      ///< `held_tones` of all its spectra.
    double gap_tones = 0;  ///< That of the quietest 35 %, above 270 Hz: what goes on between words.
};

[[nodiscard]] std::vector<block_evidence> evidence_of_blocks(std::span<const spectrum> spectra);

}  // namespace reelsd::media::sound
