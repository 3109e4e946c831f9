#include <reelsd/base/invariant.hpp>

#include <cstdio>
#include <cstdlib>

namespace reelsd {

void invariant(bool holds, boost::source_location where) noexcept {
    if (holds) [[likely]]
        return;
    // Not through the logger: whatever broke may have broken that as well.
    std::fprintf(
        stderr,
        "reelsd: broken invariant in %s (%s:%u)\n",
        where.function_name(),
        where.file_name(),
        static_cast<unsigned>(where.line()));
    std::abort();
}

}  // namespace reelsd
