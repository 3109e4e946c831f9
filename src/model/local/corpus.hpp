#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Conclusions from all text of a video, in words of that text. Pure.
namespace reelsd::model {

enum class source : std::uint8_t { screen, speech, caption };

struct sentence {
    std::string text;
    source from = source::screen;
    double start_seconds = 0;  ///< Start of the text or the utterance; 0 for the caption.
};

struct corpus {
    std::vector<sentence> sentences;    ///< Screen, then speech, then caption; each in its order.
    std::vector<std::string> hashtags;  ///< In lower case, without the sign.
    /// Speech may be misheard or not English: summary, key phrases and opening lines quote it only
    /// if no other text is a statement.
    bool speech_doubtful = false;
};

/// Lines that are shown together are one text: "3 TIPS FOR" over "BETTER COFFEE". Lines of other
/// times may be between them.
[[nodiscard]] std::vector<timed_text> joined_lines(const std::vector<timed_text>& lines);

[[nodiscard]] corpus corpus_of(
    const std::vector<timed_text>& blocks, const media::speech_report& speech,
    std::string_view caption, const std::vector<std::string>& hashtags);

/// The sentence whose words recur most often in the others; one of fewer than three words only if
/// there is no other; empty without sentences. Sentences of the speech and the caption are
/// preferred to headings on screen. Capitals become sentence case.
[[nodiscard]] std::string central_sentence(const corpus& text);

/// Key phrases of one to three words, the most specific first, at most 8.
[[nodiscard]] std::vector<std::string> key_phrases(const corpus& text);

/// The first text on screen and the first utterance, if within the first three seconds.
[[nodiscard]] std::vector<std::string> opening_lines(const corpus& text);

/// The first sentence that asks the viewer for something, verbatim: "follow for more".
[[nodiscard]] std::optional<std::string> call_to_action(const corpus& text);

/// Whether a sentence asks for something, and so says little about the subject.
[[nodiscard]] bool is_call_to_action(std::string_view sentence);

/// "tutorial", "recipe", "review", ... if words or hashtags indicate it, else empty.
[[nodiscard]] std::string format_of(const corpus& text);

}  // namespace reelsd::model
