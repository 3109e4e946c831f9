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

/// What subtitles are made of.
struct transcript {
    std::string code;  ///< Of the post; as foreign as the rest.
    std::vector<spoken_text> spoken;
};

/// Reads a stored result, as JSON text. Errors: internal when it is none. Pure.
[[nodiscard]] result<transcript> transcript_of(std::string_view document);

/// `attachment` with a name that is safe in a header and in a folder: the code, as far as it is
/// made of letters, digits, '-' and '_', or the id. `suffix` is "srt" or the like. Pure.
[[nodiscard]] std::string attachment_named(
    std::string_view code, job_id id, std::string_view suffix);

/// The cues as a SubRip file (.srt), UTF-8. Empty without cues, as players expect it. Pure.
[[nodiscard]] std::string subrip_text(const std::vector<subtitle_cue>& cues);

/// The cues as a WebVTT file (.vtt), UTF-8: its text is text, never markup. Pure.
/// Source: W3C WebVTT, sections 4.1 and 4.2.
[[nodiscard]] std::string webvtt_text(const std::vector<subtitle_cue>& cues);

}  // namespace reelsd::api
