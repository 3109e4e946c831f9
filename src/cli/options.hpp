#pragma once

#include "commands.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Shared options of the commands, and the properties of options that help and completion use.
namespace reelsd::cli {

inline constexpr std::int64_t job_id_max = std::numeric_limits<std::int64_t>::max();

/// Adds a subcommand that calls `run` with the returned arguments, which its options fill. The
/// arguments live as long as `app`.
template <class Arguments>
std::pair<CLI::App&, Arguments&> add_server_command(
    CLI::App& app, command& chosen, const char* name, const char* help,
    exit_code (*run)(const command_context&, const Arguments&)) {
    const auto arguments = std::make_shared<Arguments>();
    auto* const added = app.add_subcommand(name, help);
    added->callback([arguments, run, &chosen] {
        chosen = server_command{
            [arguments, run](const command_context& context) { return run(context, *arguments); }};
    });
    return {*added, *arguments};
}

/// `--json`: print the API's JSON.
void add_json_flag(CLI::App& app, bool& as_json);

/// `--wait` and `--timeout` (1 s to a week).
void add_wait_options(CLI::App& app, bool& wait, std::optional<std::int64_t>& timeout_seconds);

/// Allows only `choices`, which become the type name of the option.
void restrict_to(CLI::Option& option, std::span<const char* const> choices);

/// Allows only whole numbers from `min` to `max`.
void restrict_to(CLI::Option& option, std::int64_t min, std::int64_t max);

/// Allows only days as YYYY-MM-DD.
void restrict_to_dates(CLI::Option& option);

/// "-h", "--help"; an argument has one name: "ID".
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);

[[nodiscard]] bool takes_value(const CLI::Option& option);

/// The values that restrict_to() allows; empty if there are others.
[[nodiscard]] std::vector<std::string> choices_of(const CLI::Option& option);

/// Formats help with the commands first, one column width for all names, and text wrapped to
/// `columns` cells.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> make_help_formatter(std::size_t columns);

}  // namespace reelsd::cli
