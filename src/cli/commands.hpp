#pragma once

#include "api_client.hpp"
#include "failures.hpp"
#include "progress.hpp"
#include "render.hpp"
#include "settings.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace reelsd::cli {

/// Dependencies of a command. All of them outlive its run.
struct command_context {
    const api_client& api;
    progress& shown;
    std::FILE* out;  ///< Receives results only.
    render_options page;
    std::stop_token stop;
};

/// One parsed command, ready to run.
struct server_command {
    std::function<exit_code(const command_context&)> run;
    retry_policy retries = {};  ///< For all its requests.
};
/// A command that needs neither server nor token.
using local_command = std::function<exit_code(std::FILE* out)>;
using command = std::variant<server_command, local_command>;

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

/// Each adds one subcommand, which sets `chosen` when the command line names it. make_parser()
/// calls all of them.
void add_analyze_command(CLI::App& app, command& chosen);
void add_get_command(CLI::App& app, command& chosen);
void add_list_command(CLI::App& app, command& chosen);
void add_search_command(CLI::App& app, command& chosen);
void add_ask_command(CLI::App& app, command& chosen);
void add_presets_command(CLI::App& app, command& chosen);
void add_download_command(CLI::App& app, command& chosen);
void add_usage_command(CLI::App& app, command& chosen);
void add_export_command(CLI::App& app, command& chosen);
void add_delete_command(CLI::App& app, command& chosen);
void add_mcp_command(CLI::App& app, command& chosen);
void add_completion_command(CLI::App& app, command& chosen);

enum class shell : std::uint8_t { bash, zsh, fish };

/// A script that makes the shell complete commands, options and known values. It starts no program.
/// An option of one name must take a value in all commands or in none.
[[nodiscard]] std::string completion_script(const CLI::App& program, shell language);

}  // namespace reelsd::cli
