#pragma once

#include "subtitle_cues.hpp"
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

void add_subtitle_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs);

/// The speech of a reel.
struct transcript {
    std::string code;  ///< The post's code; untrusted.
    std::vector<spoken_text> spoken;
};

/// Reads a stored result, as JSON text. Errors: internal when it is invalid. Pure.
[[nodiscard]] result<transcript> transcript_of(std::string_view document);

/// Returns a Content-Disposition with a safe file name: the letters, digits, '-' and '_' of the
/// code, or the id. `suffix`: for example "srt". Pure.
[[nodiscard]] std::string attachment_named(
    std::string_view code, job_id id, std::string_view suffix);

/// The cues as a SubRip file (.srt), UTF-8. Empty without cues. Pure.
[[nodiscard]] std::string subrip_text(const std::vector<subtitle_cue>& cues);

/// The cues as a WebVTT file (.vtt), UTF-8, with escaped markup. Pure.
/// Source: W3C WebVTT, sections 4.1 and 4.2.
[[nodiscard]] std::string webvtt_text(const std::vector<subtitle_cue>& cues);

}  // namespace reelsd::api
