#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// 10 ms at 16 kHz: the grid on which voice is looked for, and that of the recogniser's own frames.
inline constexpr std::size_t frame_samples = 160;
inline constexpr double frame_seconds = 0.01;

/// A frame of digital silence has this level; a full-scale square wave has 0.
inline constexpr float level_db_min = -100.0F;

/// Root mean square of each whole 10 ms frame, in dB below full scale; the last part of a frame is
/// dropped.
[[nodiscard]] std::vector<float> frame_levels_db(std::span<const std::int16_t> samples);

/// Level below which `share` (0 to 1) of the frames lie; `level_db_min` without frames.
[[nodiscard]] float level_at_share_db(std::span<const float> levels_db, double share);

/// A copy as the recogniser likes it: loud frames at -20 dBFS, and a noise floor at -70 dBFS,
/// because the logarithm of digital silence ruins the cepstral means. The noise is the same at
/// every call.
[[nodiscard]] std::vector<std::int16_t> conditioned(
    std::span<const std::int16_t> samples, float loud_db);

}  // namespace reelsd::media::sound
