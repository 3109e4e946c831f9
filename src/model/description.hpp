#pragma once

#include <reelsd/media/report.hpp>

#include <string>

/// Sentences about what was measured: nothing in them is guessed.
namespace reelsd::model {

/// Orientation, length, scenes, motion, light, colours, and how much is written, said and played.
[[nodiscard]] std::string describe_video(const media::analysis_report& report);

/// Level, sound, tempo, beat, and whether it goes on under speech; no genre, key, instrument or
/// song. Empty without music.
[[nodiscard]] std::string describe_music(const media::music_report& music);

/// One sentence for a video in which nothing can be read or heard.
[[nodiscard]] std::string describe_in_short(const media::analysis_report& report);

}  // namespace reelsd::model
