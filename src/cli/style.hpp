#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Whether a text may carry the control sequences of styles: only where a terminal reads along.
enum class colours : std::uint8_t { off, on };

/// What a text is, rather than what it looks like.
enum class style : std::uint8_t {
    plain,
    strong,   ///< Headings: bold.
    quiet,    ///< What the eye may skip: dim.
    good,     ///< Green.
    busy,     ///< Yellow: in work, or to be taken with care.
    trouble,  ///< Red.
};

/// `text` in `look`, or as it is with colours off or nothing to show. `text` is harmless already,
/// as printable() gives it.
[[nodiscard]] std::string styled(std::string_view text, style look, colours allowed);

/// How the status of a job is shown; unknown ones plainly.
[[nodiscard]] style style_of_status(std::string_view status);

}  // namespace reelsd::cli
