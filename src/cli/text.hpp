#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text for a terminal: sanitizing, measuring, wrapping, and formats of numbers.
namespace reelsd::cli {

/// Treatment of line breaks within a text.
enum class line_breaks : std::uint8_t { keep, to_blank };

/// `untrusted` without control characters, whole escape sequences and bidirectional overrides,
/// which could control a terminal or mislead its reader. Tabs become spaces, invalid UTF-8 becomes
/// U+FFFD. For captions, transcripts and messages of the server.
[[nodiscard]] std::string printable(std::string_view untrusted, line_breaks breaks);

/// A JSON document with those characters escaped that a terminal might obey although JSON allows
/// them raw (DEL and the 8-bit controls). The document's meaning is the same.
[[nodiscard]] std::string safe_json(std::string_view document);

/// Width of `text` in terminal cells: 0 for combining marks, 2 for East Asian wide characters and
/// emoji, 1 for others. `text` is printable().
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The longest beginning of `text` that fits `columns` cells. `text` is printable().
[[nodiscard]] std::string_view prefix_that_fits(std::string_view text, std::size_t columns);

/// `text` in lines of at most `columns` cells (at least 1), broken at whitespace and at its own
/// line breaks. Longer words are cut, except links, so that users can copy them. Never empty.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// "MM:SS", rounded down, with minutes beyond 59. Negative counts as zero.
[[nodiscard]] std::string clock_text(double seconds);

/// "12.5 s", from a minute on "1 min 5 s", from an hour on "2 h 3 min".
[[nodiscard]] std::string duration_text(double seconds);

/// "2026-05-22 10:00:00 UTC" for an RFC 3339 time in UTC; other text is returned unchanged.
[[nodiscard]] std::string moment_text(const std::string& rfc3339);

/// "512 bytes", "4.2 MB": decimal units.
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// "29.97", "30": at most two decimals, no trailing zeros.
[[nodiscard]] std::string short_number(double number);

}  // namespace reelsd::cli
