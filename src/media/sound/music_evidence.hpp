#pragma once

#include "spectrogram.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// A frequency that is active in many spectra.
struct held_tone {
    std::size_t bin = 0;  ///< The bin that is active most often.
    double hz = 0;        ///< Centre of its active bins.
    double strength = 0;  ///< 0: no more than chance; 1: active in every spectrum.
};

/// The five strongest tones of `spectra`, or fewer. Notes are held, so that the same bins are
/// active repeatedly; voices glide, and noise has no fixed bins. Bins below `first_bin` are
/// ignored.
[[nodiscard]] std::vector<held_tone> held_tones(
    std::span<const spectrum* const> spectra, std::size_t first_bin);

struct music_block {
    std::size_t first_spectrum = 0;
    std::size_t spectra = 0;
    /// The tones of the quietest 35 % of its spectra, which are between words, above 270 Hz, which
    /// excludes hum.
    std::vector<held_tone> tones;

    /// Sum of the strengths, 0 to 5.
    [[nodiscard]] double tonality() const;
};

/// Blocks of 3 s, one each 1.5 s. A shorter track is one block; without spectra there is no block.
[[nodiscard]] std::vector<music_block> music_blocks(std::span<const spectrum> spectra);

/// Removes held tones that are not music from `blocks`: harmonics of mains hum (50 or 60 Hz), if
/// no other tone is held through the whole track, and a single tone that never changes.
void remove_steady_tones(std::span<const spectrum> spectra, std::vector<music_block>& blocks);

/// Tonality from which a block counts as music. Clean speech stays below 0.05 and noise below 0.15;
/// music under speech is seldom below 0.5.
inline constexpr double musical_tonality = 0.25;

/// The music detector treats lower levels as silence.
inline constexpr float audible_db = -60.0F;

/// The first spectrum that is not silence; `spectra.size()` when all are.
[[nodiscard]] std::size_t first_audible_spectrum(std::span<const spectrum> spectra);

/// The spectrum at which tonal music starts, to about half a second. `spoken`: for each spectrum
/// whether it contains speech. `blocks`: those of `spectra`, not empty.
[[nodiscard]] std::size_t start_of_tones(
    std::span<const spectrum> spectra, std::span<const music_block> blocks,
    const std::vector<bool>& spoken);

struct beat_estimate {
    /// Strongest autocorrelation of the onsets between 0.3 and 1 s, 0 to 1.
    double regularity = 0;
    /// Mean square over squared mean of the onsets: noise has 4, drums and words have 5 and more.
    double sharpness = 0;
    std::optional<double> tempo_bpm;  ///< 60 to 180; absent without a clear beat.
};

/// `onsets`: rises of loudness, one each 256 samples at 11,025 Hz. Shorter than 4 s: no beat.
[[nodiscard]] beat_estimate beat_of(std::span<const float> onsets);

}  // namespace reelsd::media::sound
