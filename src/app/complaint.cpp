#include "complaint.hpp"

#include <reelsd/base/journal.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace reelsd::app {

void complain(std::string_view why) {
    const auto priority =
        log::is_journal(STDERR_FILENO) ? log::journal_priority(log::level::error) : "";
    fmt::print(stderr, "{}reelsd: {}\n", priority, why);
}

}  // namespace reelsd::app
