#pragma once

#include "jail.hpp"

namespace reelsd::media::jail {

/// Puts the system-call filter on all threads of this process. 0, or an errno. Only memory, time,
/// the usable descriptors and the standard outputs are left: opening and connecting fail with an
/// error that libraries understand, anything else kills the process.
[[nodiscard]] int load_filter(const descriptors& usable);

/// For a program that does its own networking: takes from this process the system calls that asking
/// a web page never needs, and Unix sockets, for good. Everything else stays allowed. 0, or an
/// errno.
[[nodiscard]] int load_sandbox_filter();

}  // namespace reelsd::media::jail
