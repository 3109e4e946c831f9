#pragma once

#include "command_description.hpp"

#include <cstddef>
#include <string>

namespace reelsd::cli {

/// What `reels --help` or `reels COMMAND --help` prints: usage, arguments, options, commands and
/// the footer, wrapped to `columns` cells (the footer is printed as it is). `called` is the
/// command line that leads here: "reels get".
[[nodiscard]] std::string help_text(
    const command_description& command, const std::string& called, std::size_t columns);

}  // namespace reelsd::cli
