#pragma once

#include "commands.hpp"

#include <string_view>
#include <variant>

namespace reelsd::app {

/// What the command line, the environment and the configuration file ask for.
struct invocation {
    command chosen;
    settings config;
};

/// The invocation, or the exit code: 0 after `--help` or `--version`, 2 after an error that was
/// printed on standard error.
[[nodiscard]] std::variant<invocation, int> read_command_line(int argument_count, char** arguments);

/// Prints why a command failed on standard error, as "reelsd: " and a line. systemd's journal files
/// it as an error.
void print_error(std::string_view why);

}  // namespace reelsd::app
