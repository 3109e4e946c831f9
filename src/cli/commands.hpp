#pragma once

#include "api_client.hpp"
#include "progress.hpp"
#include "render.hpp"
#include "settings.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
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

struct server_command {
    std::function<exit_code(const command_context&)> run;
    retry_policy retries = {};  ///< For all its requests.
};
/// A command that needs neither server nor token.
using local_command = std::function<exit_code(std::FILE* out)>;
using command = std::variant<server_command, local_command>;

struct command_line {
    settings_source flags;
    std::optional<std::filesystem::path> config;  ///< `--config`; none: the default file, if any.
    command chosen;
};

/// Text for people, or the API's JSON.
enum class output_form : std::uint8_t { page, json };

[[nodiscard]] inline output_form form_of(bool as_json) {
    return as_json ? output_form::json : output_form::page;
}

/// Removes the live line and prints `text`, with a line break at its end.
void print(const command_context& context, std::string text);

/// Prints a JSON document as safe_json().
void print_json(const command_context& context, std::string_view document);

/// Prints "reels: " and the reason for the user; returns `code`.
[[nodiscard]] exit_code fail(
    const command_context& context, exit_code code, std::string_view reason);

/// Prints the error and advice for the user; returns the exit code of the error.
[[nodiscard]] exit_code report(const command_context& context, const error& failure);

/// Default of `--timeout`: three attempts of a job at their limit of 10 minutes, and as much time
/// in the queue.
inline constexpr std::chrono::seconds wait_default{3600};

/// Prints the job. Returns job_failed for the status `error`, else ok.
[[nodiscard]] exit_code print_job(
    const command_context& context, const api_answer& job, output_form form);

/// Waits up to `wait` until job `id` is done or has failed, shows its progress and prints it. If
/// the wait ends early, prints how to get the job later.
[[nodiscard]] exit_code wait_and_print_job(
    const command_context& context, std::int64_t id, std::chrono::seconds wait, output_form form);

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
void add_open_command(CLI::App& app, command& chosen);
void add_subtitles_command(CLI::App& app, command& chosen);
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
/// Needs the options of the command line, which `line` has when the command runs.
void add_login_command(CLI::App& app, command_line& line);

/// A script that makes the shell ("bash", "zsh" or "fish") complete commands, options and known
/// values. It starts no program. An option of one name must take a value in all commands or in
/// none.
[[nodiscard]] std::string completion_script(const CLI::App& program, std::string_view shell);

}  // namespace reelsd::cli
