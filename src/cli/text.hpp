#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Terminals, and text for them: sanitizing, measuring, wrapping, and formats of numbers.
namespace reelsd::cli {

/// Treatment of line breaks within a text.
enum class line_breaks : std::uint8_t { keep, to_blank };

/// `untrusted` without control characters, whole escape sequences and bidirectional overrides,
/// which could control a terminal or mislead its reader. Tabs become spaces, invalid UTF-8 becomes
/// U+FFFD. For captions, transcripts and messages of the server.
[[nodiscard]] std::string printable(std::string_view untrusted, line_breaks breaks);

/// `untrusted` without those characters, with line breaks as spaces.
[[nodiscard]] inline std::string one_line(std::string_view untrusted) {
    return printable(untrusted, line_breaks::to_blank);
}

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

/// The value of an environment variable; empty if it is unset or empty. Call before threads start.
[[nodiscard]] std::optional<std::string> environment_variable(const char* name);

/// Whether text may have the control sequences of styles, which only terminals understand.
enum class colours : std::uint8_t { off, on };

/// Meaning of a text, independent of its appearance.
enum class style : std::uint8_t {
    plain,
    strong,   ///< Headings: bold.
    quiet,    ///< Less important: dim.
    good,     ///< Green.
    busy,     ///< Yellow: active, or needs attention.
    trouble,  ///< Red.
};

/// `text` in a style; unchanged if colours are off or it is empty. `text` is printable().
[[nodiscard]] std::string styled(std::string_view text, style look, colours allowed);

/// The style of a job's status; plain for an unknown one.
[[nodiscard]] style style_of_status(std::string_view status);

/// Whether `out` is a terminal that supports control sequences.
[[nodiscard]] bool supports_control_sequences(std::FILE* out);

/// On if `out` supports control sequences and NO_COLOR is unset or empty.
[[nodiscard]] colours colours_for(std::FILE* out);

/// Width of the terminal `out` in cells, 80 if unknown; empty if `out` is not a terminal.
[[nodiscard]] std::optional<std::size_t> columns_of_terminal(std::FILE* out);

/// Width in cells of running text on `out`.
[[nodiscard]] std::size_t text_columns_of(std::FILE* out);

}  // namespace reelsd::cli
