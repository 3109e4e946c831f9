#include <reelsd/base/invariant.hpp>

#include <cstdio>
#include <cstdlib>

namespace reelsd {

void invariant(bool holds, boost::source_location where) noexcept {
    if (holds) [[likely]]
        return;
    // Does not use the logger, which may be broken too.
    std::fprintf(
        stderr,
        "reelsd: broken invariant in %s (%s:%u)\n",
        where.function_name(),
        where.file_name(),
        static_cast<unsigned>(where.line()));
    std::abort();
}

}  // namespace reelsd
