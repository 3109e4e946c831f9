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
    double posterior = 0;  ///< The recogniser's confidence, 0 to 1.
};

/// One range of a track that was decoded.
struct utterance {
    double start_seconds = 0;
    double end_seconds = 0;
    std::vector<transcript_word> words;  ///< Times in the whole track.
    /// Agreement with a second decoding; 1 when the first was certain.
    double agreement = 1;
    bool plausible = false;  ///< By itself; to_report() also considers the other utterances.
    bool alone = false;      ///< Its pauses are those of a voice without music.
};

/// The recogniser's word without the number of an alternative pronunciation ("read(2)"), in lower
/// case; empty for silence, noises and sentence marks.
[[nodiscard]] std::string spoken_text(std::string_view word);

/// Whether an utterance of `seconds` with these words can be speech: at least 1.5 words and 0.6
/// longer words a second, because in music and noise the recogniser finds few and short ones. Their
/// mean posterior is at least 0.1. It exceeds 0.6 if there is only one word, or few different ones.
[[nodiscard]] bool plausible_speech(std::span<const transcript_word> words, double seconds);

/// 0 without words.
[[nodiscard]] double mean_posterior(std::span<const transcript_word> words);

/// Agreement of two decodings of one utterance, 0 to 1: their longest common sequence of words with
/// at least four letters, divided by the larger number of those; 0 when either has none. Short
/// words agree by chance.
[[nodiscard]] double agreement(
    std::span<const transcript_word> first, std::span<const transcript_word> second);

/// Removes the words that have no voice behind them: the loudest 50 ms of their time are more than
/// 15 dB below the loud frames. `levels_db`: of each 10 ms of the utterance, from whose start the
/// words' times count.
void remove_unvoiced_words(std::vector<transcript_word>& words, std::span<const float> levels_db);

/// The words as sentences, split at pauses of more than 0.5 s: with a capital and a full stop.
[[nodiscard]] std::vector<timed_text> phrases(std::span<const transcript_word> words);

/// The phrases of plausible utterances and, when the track certainly contains speech elsewhere, of
/// those that are nearly plausible. Doubtful when their mean posterior is low. All utterances are
/// its voice.
[[nodiscard]] speech_report to_report(std::span<const utterance> utterances);

}  // namespace reelsd::media::sound
