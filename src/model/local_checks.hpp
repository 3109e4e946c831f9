#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// What was measured without any model. Absent: not measured.
struct local_evidence {
    double duration_seconds = 0;
    double missing_seconds = 0;  ///< At the end of the file.
    bool audio_track = false;
    std::string undecodable_codec = {};            ///< Of an audio track that cannot be decoded.
    std::optional<bool> silent = {};               ///< Nothing above the noise floor.
    std::optional<bool> music = {};                ///< Result of the music detector.
    std::optional<bool> speech_doubtful = {};      ///< The recogniser's own confidence is low.
    std::optional<bool> speech = {};               ///< A voice is heard, in whatever language.
    std::vector<media::time_range> silences = {};  ///< As in `media::check_report`.
    /// What OCR read in the frames at times_to_check(); empty when it read nothing.
    std::optional<std::vector<timed_text>> read_texts = {};
};

inline constexpr std::string_view doubtful_speech_warning =
    "speech was hard to recognise or is not English, the only language of the built-in recogniser: "
    "the transcript may be wrong or incomplete";

[[nodiscard]] local_evidence evidence_of(const media::probe_report& probe);
[[nodiscard]] local_evidence evidence_of(const media::analysis_report& report);

/// When to look for the reported on-screen texts: at most 8 times, ascending. Each is the middle of
/// a text in Latin letters, the longest texts first; no frame is read for a text that another one
/// shows. Empty when OCR cannot be expected to read any reported text.
[[nodiscard]] std::vector<double> times_to_check(const findings& reported);

/// Compares an analysis with what was measured: a sentence for each contradiction or warning, in a
/// fixed order. Pure.
[[nodiscard]] std::vector<std::string> local_warnings(
    const findings& reported, const local_evidence& measured);

/// Removes the last segments of the reported speech in whose time, give or take a second, nothing
/// is heard, and adds a warning. Without any sound, local_warnings() has a warning, and nothing is
/// removed.
void remove_unheard_speech(findings& reported, const local_evidence& measured);

/// Warnings about reported on-screen texts that OCR did not read at times_to_check(). Only texts
/// count that OCR can be expected to read: mainly Latin letters, with a word of at least four. A
/// text is found when at least a third of those words, and at least one, occur in any frame,
/// regardless of case, accents, whitespace and one letter each. One warning if no text was found;
/// up to three missing texts are named if at least half of the others were found; none otherwise,
/// because then OCR failed.
[[nodiscard]] std::vector<std::string> unseen_texts(
    const findings& reported, const std::vector<timed_text>& read_texts);

/// A warning if `transcript`, which is valid UTF-8, is not in the language `code` (ISO 639-1), else
/// empty. Decided by the Compact Language Detector 2. Short, mixed and transliterated texts and
/// languages close to the reported one give no warning.
[[nodiscard]] std::string language_objection(std::string_view transcript, std::string_view code);

}  // namespace reelsd::model
