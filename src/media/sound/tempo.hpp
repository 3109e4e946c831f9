#pragma once

#include <optional>
#include <span>

namespace reelsd::media::sound {

/// How regularly a track beats.
struct beat_estimate {
    double regularity =
        0;  ///< Strongest autocorrelation of the onsets between 0.3 and 1 s, 0 to 1.
    /// Mean square over squared mean of the onsets: noise has 4, drums and words have 5 and more.
    double sharpness = 0;
    std::optional<double> tempo_bpm;  ///< 60 to 180; absent without a clear beat.
};

/// `onsets`: rises of loudness, one each 256 samples at 11,025 Hz. Shorter than 4 s: no beat.
[[nodiscard]] beat_estimate beat_of(std::span<const float> onsets);

}  // namespace reelsd::media::sound
