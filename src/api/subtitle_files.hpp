#pragma once

#include "subtitle_cues.hpp"

#include <string>
#include <vector>

namespace reelsd::api {

/// The cues as a SubRip file (.srt), UTF-8. Empty without cues, as players expect it. Pure.
[[nodiscard]] std::string subrip_text(const std::vector<subtitle_cue>& cues);

/// The cues as a WebVTT file (.vtt), UTF-8: its text is text, never markup. Pure.
/// Source: W3C WebVTT, sections 4.1 and 4.2.
[[nodiscard]] std::string webvtt_text(const std::vector<subtitle_cue>& cues);

}  // namespace reelsd::api
