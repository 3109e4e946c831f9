#pragma once

#include "speech_model.hpp"
#include <reelsd/media/report.hpp>

#include <span>
#include <vector>

namespace reelsd::media::sound {

/// One range of a track, and what the model heard in it.
struct utterance {
    double start_seconds = 0;
    double end_seconds = 0;
    decoding heard{};                    ///< Without text if the range is only a tone.
    bool alone = false;                  ///< Its pauses are those of a voice without music.
    std::vector<timed_text> passages{};  ///< as_sentences() of the text, divided at pauses.
};

/// Whether the text was spoken. In music, noise and silence, the model either expects no speech,
/// repeats itself, or writes signs of music. Speech in other languages becomes improbable English.
[[nodiscard]] bool is_speech(const utterance& utterance);

/// What the model wrote, with capitals at the starts of sentences, "I", and a mark at the end
/// unless the text was cut off.
[[nodiscard]] std::string as_sentences(const decoding& heard);

/// Divides the text of an utterance where its parts, which were decoded alone, begin and end. Their
/// texts have more wrong words, so the words of `text` are aligned with theirs, and only the times
/// of the parts are used. Leaves out parts without a word of `text`. Adds a full stop before a
/// pause if there is no mark.
[[nodiscard]] std::vector<timed_text> divide(
    std::string_view text, std::span<const utterance> parts);

/// The sentences of the passages of one utterance. Those of a passage share its time by their
/// lengths.
[[nodiscard]] std::vector<timed_text> sentences(std::span<const timed_text> passages);

/// The sentences of all speech. Doubtful if the model is unsure of them, or if more seconds have
/// unknown words than known ones. All utterances are its voice.
[[nodiscard]] speech_report to_report(std::span<const utterance> utterances);

}  // namespace reelsd::media::sound
