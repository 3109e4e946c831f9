#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Power between 4.4 and 6.5 kHz over that between 3 and 4 kHz, in dB, over the whole of `samples`
/// (mono, 16 kHz); 0 when both are silent. A telephone's or an old recording's sound ends at 4 kHz:
/// -25 and less.
[[nodiscard]] double high_band_db(std::span<const std::int16_t> samples);

/// Gives sound that ends at 4 kHz a band above, the mirror image of the one below at half of its
/// height. The acoustic model knows only wide-band speech and misses the hiss of its consonants.
/// Wide-band sound is left as it is.
void widen_narrow_band(std::vector<std::int16_t>& samples);

}  // namespace reelsd::media::sound
