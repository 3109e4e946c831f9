#include "run.hpp"

#include <exception>

namespace reelsd::app {
namespace {

/// A command that an operator types prints its result alone unless something is wrong; the daemon
/// logs what it does.
log::level level_for(const invocation& asked) {
    const bool serving = std::holds_alternative<serve_command>(asked.chosen);
    if (serving || asked.with.log_level != log::level::info) return asked.with.log_level;
    return log::level::warning;
}

}  // namespace

int run(const invocation& asked) {
    const bool serving = std::holds_alternative<serve_command>(asked.chosen);
    // Other commands report where they were typed.
    const auto log_file = serving ? asked.with.log_file : std::string{};
    const log::logger log{level_for(asked), asked.with.log_format, log_file};
    const auto execute_chosen = [&](const auto& command) {
        return execute(command, asked.with, log);
    };
    result<void> outcome;
    try {
        outcome = std::visit(execute_chosen, asked.chosen);
    } catch (const std::exception& thrown) {
        outcome = error{errc::internal, thrown.what()};
    }
    if (outcome) return 0;
    const auto& why = outcome.error();
    print_error(why.detail().empty() ? std::string{name_of(why.code())} : why.detail());
    return 1;
}

}  // namespace reelsd::app
