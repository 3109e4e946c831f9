#include "commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <variant>

namespace reelsd::app {
namespace {

/// Commands that an operator types print only their result unless something is wrong, and log where
/// they were typed. The daemon logs its work.
log::logger logger_for(const invocation& request) {
    const auto& config = request.config;
    if (std::holds_alternative<serve_command>(request.chosen)) {
        return {config.log_level, config.log_format, config.log_file};
    }
    const bool is_default = config.log_level == log::level::info;
    return {is_default ? log::level::warning : config.log_level, config.log_format};
}

/// After this exit code, the service manager does not restart the daemon.
constexpr int invalid_setting_code = 2;

/// Only where an operator looks for mistakes: scripts set variables for other programs as well.
void warn_of_unknown_variables(const invocation& request, const log::logger& log) {
    const bool is_checked = std::holds_alternative<serve_command>(request.chosen) ||
                            std::holds_alternative<doctor_command>(request.chosen);
    if (!is_checked) return;
    for (const auto& name : unknown_variables(environ)) {
        log.warning("environment variable is not a setting", {{"variable", name}});
    }
}

/// The failure of a write to standard output. A closed pipe is none: its reader needs no more.
result<void> output_error(const std::error_code& why) {
    if (why == std::errc::broken_pipe) return {};
    return error{errc::storage_failed, fmt::format("standard output: {}", why.message())};
}

/// Writes buffered output, which fails on a full disk.
result<void> flush_output() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
    return output_error({errno, std::generic_category()});
}

/// Runs the command. Returns the exit code. Prints a failure on standard error.
int run(const invocation& request) {
    const auto log = logger_for(request);
    warn_of_unknown_variables(request, log);
    const auto execute_chosen = [&](const auto& chosen) {
        return execute(chosen, request.config, log);
    };
    result<void> outcome;
    try {
        outcome = std::visit(execute_chosen, request.chosen);
        if (outcome) outcome = flush_output();
    } catch (const std::system_error& thrown) {
        outcome = std::ferror(stdout) != 0 ? output_error(thrown.code())
                                           : error{errc::internal, thrown.what()};
    } catch (const std::exception& thrown) {
        outcome = error{errc::internal, thrown.what()};
    }
    if (outcome) return 0;
    const auto& why = outcome.error();
    print_error(why.detail().empty() ? name_of(why.code()) : why.detail());
    // Some settings are checked only by the parts that use them.
    const bool is_daemon = std::holds_alternative<serve_command>(request.chosen);
    return is_daemon && why.code() == errc::invalid_argument ? invalid_setting_code : 1;
}

}  // namespace
}  // namespace reelsd::app

int main(int argument_count, char** arguments) {
    // A peer that closes its connection is an error of the write, not the end of the daemon.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for a valid signal
    const auto parsed = reelsd::app::read_command_line(argument_count, arguments);
    if (const auto* exit_code = std::get_if<int>(&parsed)) return *exit_code;
    return reelsd::app::run(std::get<reelsd::app::invocation>(parsed));
}
