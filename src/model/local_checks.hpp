#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <string>
#include <vector>

namespace reelsd::model {

/// What was measured without any model, as far as somebody has measured it: absent is "not looked
/// at".
struct local_evidence {
    double duration_seconds = 0;
    bool audio_track = false;
    std::optional<bool> silent;           ///< Nothing above the noise floor.
    std::optional<bool> music;            ///< The music detector's verdict.
    std::optional<bool> speech_doubtful;  ///< The recogniser's own confidence is low.
    std::optional<bool> speech;           ///< A voice is heard, whatever its language.
    /// What OCR read in the frames at times_to_check(); empty when it read nothing there.
    std::optional<std::vector<timed_text>> read_texts;
};

[[nodiscard]] local_evidence evidence_of(const media::probe_report& probe);
[[nodiscard]] local_evidence evidence_of(const media::analysis_report& report);

/// When to look for the on-screen texts that were claimed: at most 8 times, ascending, each the
/// middle of a text in Latin letters, the longest texts first, so that every frame shows others.
/// Empty when no text is claimed that OCR can be expected to read.
[[nodiscard]] std::vector<double> times_to_check(const findings& said);

/// The cheap checks of an analysis, whoever made it, against what was measured: a sentence for each
/// contradiction or doubt, in a fixed order; empty when nothing speaks against it. Pure.
[[nodiscard]] std::vector<std::string> local_warnings(
    const findings& said, const local_evidence& measured);

}  // namespace reelsd::model
