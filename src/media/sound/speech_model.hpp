#pragma once

#include "../neural/neural_model.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::media::sound {

/// What the model hears in one range of sound. Probabilities are natural logarithms.
struct decoding {
    std::string text;                      ///< As written, with capitals and punctuation.
    double log_probability = 0;            ///< Mean of its tokens, including the one for the end.
    double no_speech_log_probability = 0;  ///< That the range has no text at all.
    bool ended = false;                    ///< False: the text was cut off at its greatest length.
};

/// Moonshine's "base" network, which recognises English: an encoder of sound and a decoder that
/// writes one token after another. One thread. After `load` it opens no file.
class speech_model {
public:
    /// `folder` contains the networks that prepare_networks.py wrote, and `vocabulary.txt`, and is
    /// tried; `media_failed` names what is missing or wrong.
    static result<speech_model> load(const std::string& folder);

    /// `samples`: mono, 16 kHz, -1 to 1, at most about 12 s. Throws neural_failure.
    decoding decode(std::span<float> samples);

private:
    speech_model(neural_model encoder, neural_model decoder, std::vector<std::string> vocabulary);

    /// Keys and values of the sound, which each step of the decoder reads.
    std::vector<tensor> encode(std::span<float> samples);
    /// Scores of all tokens as the one after `token`: logarithms of their probabilities plus the
    /// same number. `text` has the keys and values of the text so far; `token` is added.
    tensor next(std::int64_t token, std::span<const tensor> sound, std::vector<tensor>& text);

    neural_model encoder_;
    neural_model decoder_;
    std::vector<std::string> vocabulary_;
};

}  // namespace reelsd::media::sound
