#include <reelsd/base/journal.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace reelsd::log {

bool is_journal(int descriptor) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
    const char* const named = std::getenv("JOURNAL_STREAM");
    struct stat here {};
    if (named == nullptr || ::fstat(descriptor, &here) != 0) return false;
    return fmt::format("{}:{}", here.st_dev, here.st_ino) == named;
}

std::string_view journal_priority(level at) {
    switch (at) {
        case level::debug: return "<7>";
        case level::info: return "<6>";
        case level::warning: return "<4>";
        case level::error:
        case level::off: return "<3>";
    }
    return "";
}

}  // namespace reelsd::log
