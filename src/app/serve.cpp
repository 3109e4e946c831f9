#include "commands.hpp"
#include "daemon.hpp"
#include <reelsd/process/child_run.hpp>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace reelsd::app {
namespace {

/// Each connection is a descriptor, and the usual soft limit of 1,024 is a limit of clients. The
/// hard limit is the operator's word; more than this many we could not use.
void raise_descriptor_limit(const log::logger& log) {
    constexpr rlim_t useful_max = 65'536;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto wanted = std::min(limit.rlim_max, useful_max);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
    log.warning("the limit of open files cannot be raised", {{"wanted", wanted}});
}

extern "C" void end_at_once(int /*signal*/) {
    ::_exit(EXIT_SUCCESS);
}

/// While the daemon starts it has accepted nothing, and waiting for a database may take long: a
/// stop ends it there and then. A private server that is starting ends with us, as its parent's
/// death tells it to. The daemon's own signal handling takes over when it is up.
void stop_at_once_until_started() {
    for (const int signal : {SIGINT, SIGTERM}) {
        // Fails only for a number that is no signal.
        static_cast<void>(std::signal(signal, &end_at_once));
    }
    // What it asks to read again is read once the daemon is up.
    static_cast<void>(std::signal(SIGHUP, SIG_IGN));
}

}  // namespace

result<void> execute(
    const serve_command& /*unused*/, const settings& with, const log::logger& log) {
    stop_at_once_until_started();
    const auto kernel = process::check_kernel();
    if (!kernel) return kernel.error();
    const auto supervisor = service_notifier::from_environment();
    if (!supervisor) return supervisor.error();
    raise_descriptor_limit(log);
    auto opened = open_resources(with, log);
    if (!opened) return opened.error();
    daemon serving{with, log, *std::move(opened), *supervisor};
    return serving.run();
}

result<void> execute(
    const migrate_command& /*unused*/, const settings& with, const log::logger& log) {
    const auto opened = database::open(with, log);
    if (!opened) return opened.error();
    const auto applied = (*opened)->migrate(log);
    if (!applied) return applied.error();
    fmt::print("{} migrations applied, the schema is up to date\n", *applied);
    return {};
}

}  // namespace reelsd::app
