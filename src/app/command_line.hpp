#pragma once

#include "commands.hpp"

#include <string_view>
#include <variant>

namespace reelsd::app {

/// A command, and the settings from the command line, the environment and the configuration file.
struct invocation {
    command chosen;
    settings config;
};

/// The invocation, or the exit code: 0 after `--help` or `--version`, 2 after an error that was
/// printed on standard error.
[[nodiscard]] std::variant<invocation, int> read_command_line(int argument_count, char** arguments);

/// Prints "reelsd: " and the reason on standard error, with the priority of an error for systemd's
/// journal.
void print_error(std::string_view why);

}  // namespace reelsd::app
