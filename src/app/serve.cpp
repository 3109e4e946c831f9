#include "commands.hpp"
#include "daemon.hpp"

#include <fmt/format.h>

namespace reelsd::app {

result<void> serve(const settings& with, const log::logger& log) {
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
