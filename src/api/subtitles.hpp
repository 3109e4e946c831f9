#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

enum class word_end : std::uint8_t { nothing, clause, sentence };

/// A word, within which lines do not break. A view into the text.
struct subtitle_word {
    std::string_view text;
    int width = 0;               ///< Columns.
    bool follows_blank = false;  ///< Otherwise it continues the word before.
    word_end ends = word_end::nothing;
};

/// Splits a UTF-8 text into words, without whitespace, line breaks and control characters. Splits
/// words wider than `width_max`. Pure.
[[nodiscard]] std::vector<subtitle_word> subtitle_words(std::string_view text, int width_max);

/// A word of a segment, with its time.
struct spoken_word {
    std::string text;  ///< UTF-8.
    double start_seconds = 0.0;
    double end_seconds = 0.0;
};

/// A segment of speech in a result: untrusted text, any length, any times.
struct spoken_text {
    std::string text;  ///< UTF-8.
    double start_seconds = 0.0;
    double end_seconds = 0.0;
    std::vector<spoken_word> words = {};  ///< In order; empty if their times are not known.
};

/// A part of a line of a subtitle, and when it is spoken.
struct timed_part {
    std::size_t line = 0;  ///< Of subtitle_cue::lines.
    std::size_t byte = 0;  ///< Where it begins in that line.
    std::chrono::milliseconds begin{0};
};

struct subtitle_cue {
    std::chrono::milliseconds begin{0};
    std::chrono::milliseconds end{0};  ///< After `begin`.
    /// One or two, not empty, at most subtitle_line_width wide, without control characters.
    std::vector<std::string> lines;
    /// The words that begin later than the cue, if their times are known: ascending and before its
    /// end.
    std::vector<timed_part> parts = {};
};

/// In columns; wide characters (Chinese, Japanese, Korean, emoji) take two. Usual in films.
inline constexpr int subtitle_line_width = 42;

/// Returns the cues, ordered by beginning. Splits long segments, preferably between sentences, at
/// the times of their words, or with a proportional share of the time. Shows segments without
/// length for a second, or until the next one. Cues overlap where speakers do. Pure.
[[nodiscard]] std::vector<subtitle_cue> subtitle_cues(const std::vector<spoken_text>& spoken);

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
