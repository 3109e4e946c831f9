#pragma once

#include "api_answer.hpp"
#include "api_client.hpp"
#include "progress.hpp"
#include "render.hpp"

#include <cstdio>
#include <functional>
#include <stop_token>
#include <variant>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace reelsd::cli {

/// Dependencies of a command. All of them outlive its run.
struct command_context {
    const api_client& api;
    progress& shown;
    std::FILE* out;  ///< For results alone.
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

/// Each adds one subcommand; when the command line names it, `chosen` is set to what it does.
/// A new command is a file of its own and a line in command_line.cpp.
void add_analyze_command(CLI::App& app, command& chosen);
void add_get_command(CLI::App& app, command& chosen);
void add_list_command(CLI::App& app, command& chosen);
void add_search_command(CLI::App& app, command& chosen);
void add_usage_command(CLI::App& app, command& chosen);
void add_export_command(CLI::App& app, command& chosen);
void add_delete_command(CLI::App& app, command& chosen);
void add_mcp_command(CLI::App& app, command& chosen);
void add_completion_command(CLI::App& app, command& chosen);

}  // namespace reelsd::cli
