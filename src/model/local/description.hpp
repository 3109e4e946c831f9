#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <string>
#include <vector>

/// Sentences about what was measured, without conclusions. Pure.
namespace reelsd::model {

/// Orientation, length, scenes, motion, light, colours, and how much text, speech and music there
/// is.
[[nodiscard]] std::string describe_video(const media::analysis_report& report);

/// Level, sound, tempo, beat, and whether it continues under speech; no genre, key, instrument or
/// song. Empty without music.
[[nodiscard]] std::string describe_music(const media::music_report& music);

/// One sentence for a video without text, speech and caption.
[[nodiscard]] std::string describe_in_short(const media::analysis_report& report);

/// Nearer events are one moment: a viewer jumps to both at once.
inline constexpr double moments_apart_seconds = 1.5;
/// A remote model may report 20, because it can tell which moments matter.
inline constexpr std::size_t local_moments_max = 12;

/// The events of a video; the times of each kind ascend.
struct moment_sources {
    const std::vector<double>& cuts;
    const std::vector<timed_text>& texts;   ///< On-screen texts, lines joined.
    const std::vector<timed_text>& speech;  ///< Utterances.
    std::optional<double> music_start;
};

/// Cuts, first appearances of a text, speech after a pause, sentences of continuous speech and the
/// start of music: merged, at least moments_apart_seconds apart, the local_moments_max of the
/// largest weight, ascending. Each describes what is new: words that are shown and spoken are
/// quoted once.
[[nodiscard]] std::vector<key_moment> key_moments_from(const moment_sources& sources);

}  // namespace reelsd::model
