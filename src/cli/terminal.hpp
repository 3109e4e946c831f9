#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Whether a text may carry the control sequences of styles: only where a terminal reads along.
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

/// `text` in `look`, or as it is with colours off or nothing to show. `text` is harmless already,
/// as printable() gives it.
[[nodiscard]] std::string styled(std::string_view text, style look, colours allowed);

/// How the status of a job is shown; unknown ones plainly.
[[nodiscard]] style style_of_status(std::string_view status);

/// Whether `out` is a terminal that understands more than plain text.
[[nodiscard]] bool is_lively(std::FILE* out);

/// Colours where `out` is lively and NO_COLOR is not set (to anything but nothing).
[[nodiscard]] colours colours_for(std::FILE* out);

/// The width of the terminal `out` in cells, 80 when it does not say; nothing when it is none.
[[nodiscard]] std::optional<std::size_t> columns_of_terminal(std::FILE* out);

/// How wide running text on `out` is best set, in cells.
[[nodiscard]] std::size_t text_columns_of(std::FILE* out);

}  // namespace reelsd::cli
