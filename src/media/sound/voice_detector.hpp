#pragma once

#include "utterances.hpp"
#include "voice_activity.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace reelsd::media::sound {

struct voiced_sound {
    std::vector<std::int16_t> conditioned;  ///< The track as the recogniser likes it.
    std::vector<frame_range> utterances;    ///< Where a voice may be in it.
};

/// `samples`: the whole track, mono, 16 kHz.
[[nodiscard]] voiced_sound find_voice(voice_activity& voice, std::span<const std::int16_t> samples);

}  // namespace reelsd::media::sound
