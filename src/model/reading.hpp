#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What all the text of a video says, drawn from the words that stand there and no others. Pure.
namespace reelsd::model {

enum class source : std::uint8_t { screen, speech, caption };

struct sentence {
    std::string text;
    source from = source::screen;
    double start_seconds = 0;  ///< Of the text or the utterance; 0 for the caption.
};

/// Every sentence that is shown, spoken or written below the video.
struct reading {
    std::vector<sentence> sentences;    ///< Screen, then speech, then caption; each in its order.
    std::vector<std::string> hashtags;  ///< In lower case, without the sign.
    bool speech_doubtful = false;       ///< It may be misheard: other sentences go first.
};

/// Lines that come and go together are one text: "3 TIPS FOR" over "BETTER COFFEE".
[[nodiscard]] std::vector<timed_text> joined_lines(const std::vector<timed_text>& lines);

[[nodiscard]] reading read_text(
    const std::vector<timed_text>& blocks, const media::speech_report& speech,
    std::string_view caption, const std::vector<std::string>& hashtags);

/// The sentence whose words return most often in the others; empty without a sentence of three
/// words.
[[nodiscard]] std::string central_sentence(const reading& text);

/// Key phrases of one to three words, the most telling first, at most 8.
[[nodiscard]] std::vector<std::string> key_phrases(const reading& text);

/// What is shown and said first, if that is within the first three seconds.
[[nodiscard]] std::vector<std::string> opening_lines(const reading& text);

/// The words that ask the viewer for something, as they stand: "follow for more".
[[nodiscard]] std::optional<std::string> call_to_action(const reading& text);

/// Whether a sentence asks for something, and so says little about the subject.
[[nodiscard]] bool is_call_to_action(std::string_view sentence);

/// By a small list of words that praise and complain. One word alone decides nothing.
[[nodiscard]] sentiment mood_of(const reading& text);

/// "tutorial", "recipe", "review", ... where the words say so plainly, else empty.
[[nodiscard]] std::string format_of(const reading& text);

/// "beginners", where the words name them ("for beginners"), else empty.
[[nodiscard]] std::string audience_of(const reading& text);

}  // namespace reelsd::model
