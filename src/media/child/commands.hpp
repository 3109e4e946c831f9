#pragma once

#include "arguments.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <optional>
#include <vector>

/// One function for each command of the program. Those about a video open the file (and models),
/// close the jail around this process for good, and only then read the video. Errors: those of
/// `media_client`'s documentation.
namespace reelsd::media {

[[nodiscard]] result<probe_report> probe(const arguments& given);
[[nodiscard]] result<analysis_report> analyze(const arguments& given);
[[nodiscard]] result<thumbnail_report> thumbnail(const arguments& given);

/// Copies the pictures of one file and the sound of another to the output.
[[nodiscard]] result<output_report> join(const arguments& given);

/// Writes JPEGs to the output, one after the other.
[[nodiscard]] result<frames_report> frames(const arguments& given);

/// Times of the pictures that frames() takes; ascending, at least one.
[[nodiscard]] std::vector<double> frame_moments(
    double duration_seconds, const frame_request& wanted);

/// Writes the whole sound to the output as a WAVE file. Nothing without sound that can be decoded.
[[nodiscard]] result<std::optional<sound_report>> sound_file(const arguments& given);

/// Measures level and voice of the sound, and reads the text of a few pictures.
[[nodiscard]] result<check_report> check(const arguments& given);

/// Writes the video to the output as upright H.264 and AAC.
[[nodiscard]] result<output_report> transcode(const arguments& given);

/// Enters the jail and tries what a decoder that was taken over would try.
[[nodiscard]] jail_report examine_jail(const arguments& given);

/// Loads the models, enters the jail and reports what holds: an object with `jail`, `tessdata`,
/// `speech_model` and `libraries`. Afterwards this process can do nothing but write it.
[[nodiscard]] json examine(const arguments& given);

}  // namespace reelsd::media
