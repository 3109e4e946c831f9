#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text for a terminal: made harmless, measured, wrapped, and numbers as people write them.
namespace reelsd::cli {

/// What becomes of a line break within a text.
enum class line_breaks : std::uint8_t { keep, to_blank };

/// `untrusted` without what could steer a terminal or mislead its reader: control characters,
/// escape sequences (whole, not only their first byte) and bidirectional overrides are left out,
/// tabs become blanks, broken UTF-8 becomes U+FFFD. Captions, transcripts and server messages go
/// through this.
[[nodiscard]] std::string printable(std::string_view untrusted, line_breaks breaks);

/// How many terminal cells `text` takes: 0 for combining marks, 2 for East Asian wide characters
/// and emoji, 1 for the rest. `text` is valid UTF-8 without control characters, as printable()
/// gives it.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// `text` in lines of at most `columns` cells (at least 1), broken at blanks; its own line breaks
/// stay. A longer word is cut, except a link, which stays whole so that it can be copied. Never
/// empty.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

/// "MM:SS", rounded down as a player shows it; minutes grow past 59. Negative counts as zero.
[[nodiscard]] std::string clock_text(double seconds);

/// "12.5 s", from a minute on "1 min 5 s", from an hour on "2 h 3 min".
[[nodiscard]] std::string duration_text(double seconds);

/// "2026-05-22 10:00:00 UTC" of an RFC 3339 time in UTC, as the API gives it; any other text as it
/// is.
[[nodiscard]] std::string moment_text(const std::string& rfc3339);

/// "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t number);

/// "512 bytes", "4.2 MB": decimal units, as disks and data plans count.
[[nodiscard]] std::string bytes_text(std::int64_t bytes);

/// "29.97", "30": at most two decimals, no trailing zeros.
[[nodiscard]] std::string short_number(double number);

}  // namespace reelsd::cli
