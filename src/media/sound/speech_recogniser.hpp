#pragma once

#include "decoder.hpp"
#include "transcript.hpp"
#include "voice_activity.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelsd::media::sound {

/// One stretch that was given to the recogniser, and what is made of it.
struct utterance {
    double start_seconds = 0;
    double end_seconds = 0;
    std::vector<transcript_word> words;  ///< Times in the whole track.
    /// How far a second hearing agreed; 1 when the first left no doubt.
    double agreement = 1;
    bool plausible = false;  ///< By itself; what others say counts in to_report().
};

/// What may be told of it: the phrases of the plausible ones, and, where somebody speaks for
/// certain, of those that are nearly so. Doubtful when their words' posteriors are low.
[[nodiscard]] speech_report to_report(std::span<const utterance> heard);

/// Finds the utterances of a track and recognises each. One thread.
class speech_recogniser {
public:
    /// As `speech_recognizer::load`.
    static result<std::unique_ptr<speech_recogniser>> load(const std::string& model_dir);

    speech_recogniser(std::unique_ptr<voice_activity> voice, std::unique_ptr<decoder> words);

    /// `samples`: the whole track, mono, 16 kHz.
    [[nodiscard]] std::vector<utterance> listen(std::span<const std::int16_t> samples);

private:
    void judge(utterance& utterance, std::span<const std::int16_t> sound);

    std::unique_ptr<voice_activity> voice_;
    std::unique_ptr<decoder> words_;
};

}  // namespace reelsd::media::sound
