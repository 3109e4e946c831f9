#pragma once

#include "music_evidence.hpp"
#include "spectrogram.hpp"

#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Takes out of `blocks` the tones that are no music although they are held: harmonics of mains hum
/// (50 or 60 Hz), when nothing else is held through the whole track, and one single tone that never
/// changes.
void remove_steady_tones(std::span<const spectrum> spectra, std::vector<music_block>& blocks);

}  // namespace reelsd::media::sound
