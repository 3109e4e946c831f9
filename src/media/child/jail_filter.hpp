#pragma once

#include "jail.hpp"

namespace reelsd::media::jail {

/// Puts the system-call filter on all threads of this process. 0, or an errno. Only memory, time,
/// the usable descriptors and the standard outputs are left: opening and connecting fail with an
/// error that libraries understand, anything else kills the process.
[[nodiscard]] int load_filter(const descriptors& usable);

}  // namespace reelsd::media::jail
