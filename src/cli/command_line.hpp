#pragma once

#include "commands.hpp"
#include "settings.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

namespace reelsd::cli {

/// A valid command line.
struct command_line {
    settings_source flags;
    std::optional<std::filesystem::path> config;  ///< `--config`; none: the default file, if any.
    command chosen;
};

/// The parser of `reels`, which fills `line`. Its help is wrapped to `help_columns` cells, except
/// for footers. `line` outlives it.
[[nodiscard]] std::unique_ptr<CLI::App> make_parser(command_line& line, std::size_t help_columns);

/// The command line, or the exit code after printing help, the version or a usage error.
[[nodiscard]] std::variant<command_line, exit_code> parse_command_line(
    int argc, const char* const* argv);

}  // namespace reelsd::cli
