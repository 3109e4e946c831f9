#include "commands.hpp"
#include "daemon.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

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

}  // namespace

result<void> serve(const settings& with, const log::logger& log) {
    raise_descriptor_limit(log);
    auto made = daemon::create(with, log);
    if (!made) return made.error();
    return (*made)->run();
}

result<void> migrate(const settings& with, const log::logger& log) {
    const auto opened = database::open(with, log);
    if (!opened) return opened.error();
    const auto applied = (*opened)->migrate(log);
    if (!applied) return applied.error();
    fmt::print("{} migrations applied, the schema is up to date\n", *applied);
    return {};
}

}  // namespace reelsd::app
