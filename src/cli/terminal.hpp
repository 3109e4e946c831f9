#pragma once

#include "style.hpp"

#include <cstddef>
#include <cstdio>
#include <optional>

namespace reelsd::cli {

/// Whether `out` is a terminal that understands more than plain text.
[[nodiscard]] bool is_lively(std::FILE* out);

/// Colours where `out` is lively and NO_COLOR is not set (to anything but nothing).
[[nodiscard]] colours colours_for(std::FILE* out);

/// The width of the terminal `out` in cells, 80 when it does not say; nothing when it is none.
[[nodiscard]] std::optional<std::size_t> columns_of_terminal(std::FILE* out);

/// How wide running text on `out` is best set, in cells.
[[nodiscard]] std::size_t text_columns_of(std::FILE* out);

}  // namespace reelsd::cli
