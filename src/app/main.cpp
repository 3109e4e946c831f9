#include "run.hpp"

#include <csignal>
#include <variant>

int main(int argument_count, char** arguments) {
    // A peer that goes away is an error of the write, not the end of the daemon.
    std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for a valid signal
    const auto asked = reelsd::app::read_command_line(argument_count, arguments);
    if (const auto* exit_code = std::get_if<int>(&asked)) return *exit_code;
    return reelsd::app::run(std::get<reelsd::app::invocation>(asked));
}
