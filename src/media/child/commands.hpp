#pragma once

#include "arguments.hpp"
#include <reelsd/base/error.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/report.hpp>

#include <optional>
#include <string_view>
#include <vector>

/// One function for each command of the program. The commands for videos open the file (and
/// models), enter the jail for the rest of the process, and only then read the video. Errors: see
/// `media_client`.
namespace reelsd::media {

class input_file;
struct first_pass;

[[nodiscard]] result<probe_report> probe(const arguments& given);

/// Writes its report itself, and then, if standard input asks for stills, a `stills_report`. False
/// if writing fails.
[[nodiscard]] bool analyze(const arguments& given);
[[nodiscard]] result<thumbnail_report> thumbnail(const arguments& given);

/// Muxes the pictures of one file and the sound of another into the output.
[[nodiscard]] result<output_report> join(const arguments& given);

/// Writes concatenated JPEGs to the output.
[[nodiscard]] result<frames_report> frames(const arguments& given);

/// Small JPEGs of the pictures on screen at the given moments.
[[nodiscard]] result<stills_report> stills(const arguments& given);
/// The same with a file that is open already. At least one moment.
[[nodiscard]] result<stills_report> stills_at(
    const std::vector<double>& moments, const input_file& file, const first_pass& first,
    double seconds_max);

/// Times of the pictures of frames(); ascending, at least one.
[[nodiscard]] std::vector<double> frame_moments(
    double duration_seconds, const frame_request& request);

/// Writes the whole sound to the output as a WAVE file. Empty without sound that can be decoded.
[[nodiscard]] result<std::optional<sound_report>> sound_file(const arguments& given);

/// Measures level and voice of the sound, and reads the text in a few pictures.
[[nodiscard]] result<check_report> check(const arguments& given);

/// Recognises the speech, and measures the rest of the sound.
[[nodiscard]] result<audio_report> listen(const arguments& given);

/// Writes the video to the output as upright H.264 and AAC.
[[nodiscard]] result<output_report> transcode(const arguments& given);

/// Enters the jail and tries what a compromised decoder could do.
[[nodiscard]] jail_report examine_jail(const arguments& given);

/// Loads the models, enters the jail and returns an object with `jail`, `text_models`,
/// `speech_models` and `libraries`. Afterwards this process can only write it.
[[nodiscard]] json examine(const arguments& given);

/// Makes the daemon accept a report (`report_bounds`): limits times to the video, cleans text and
/// drops excess entries, so that one invalid line does not fail the whole analysis.
void tidy(audio_report& report, double duration);
void tidy(analysis_report& report);
void tidy(check_report& report);

/// Writes a document to standard output. False on failure.
[[nodiscard]] bool write_ok(const json& value);
[[nodiscard]] bool write_error(const error& why);
template <class Report>
[[nodiscard]] bool write_result(const result<Report>& report) {
    return report ? write_ok(to_json(*report)) : write_error(report.error());
}

/// Replaces control characters and invalid UTF-8 by spaces, and cuts at `bytes_max`.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t bytes_max);

}  // namespace reelsd::media
