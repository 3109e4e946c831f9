#pragma once

#include "transcript.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelsd::media::sound {

/// Pocketsphinx with its English model, for one utterance at a time. One thread.
class decoder {
public:
    /// Reads all model files; afterwards nothing is opened. `media_failed` names what is missing.
    static result<std::unique_ptr<decoder>> load(const std::string& model_dir);

    virtual ~decoder() = default;

    /// The words of one utterance of at most some 12 s, times from its start; fillers are left out.
    /// Empty when nothing is recognised. `samples`: mono, 16 kHz, conditioned.
    virtual std::vector<transcript_word> decode(std::span<const std::int16_t> samples) = 0;
};

}  // namespace reelsd::media::sound
