#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// The value of an environment variable; empty if it is unset or empty. Call it before other
/// threads start.
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
