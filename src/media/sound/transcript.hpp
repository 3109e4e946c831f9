#pragma once

#include <reelsd/media/report.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media::sound {

struct transcript_word {
    std::string text;  ///< Lower case.
    double start_seconds = 0;
    double end_seconds = 0;
    double posterior = 0;  ///< The recogniser's own confidence, 0 to 1.
};

/// The recogniser's word as it is spoken: without the number of a second pronunciation ("read(2)"),
/// in lower case; empty for silence, noises and sentence marks.
[[nodiscard]] std::string spoken_text(std::string_view word);

/// Whether an utterance of `seconds` with these words can be speech: people say at least 1.5 words
/// and 0.6 longer ones a second, while music and noise make the recogniser invent few and short
/// ones.
[[nodiscard]] bool plausible_speech(std::span<const transcript_word> words, double seconds);

/// Mean over the words; 0 without words.
[[nodiscard]] double mean_posterior(std::span<const transcript_word> words);

/// How far two hearings of one utterance agree, 0 to 1: their longest common sequence of words with
/// four and more letters over the longer one's number of those; 0 when one has none. Short words
/// agree by chance.
[[nodiscard]] double agreement(
    std::span<const transcript_word> first, std::span<const transcript_word> second);

/// Phrases: the words joined by blanks, split where nobody speaks for more than 0.5 s.
[[nodiscard]] std::vector<timed_text> phrases(std::span<const transcript_word> words);

}  // namespace reelsd::media::sound
