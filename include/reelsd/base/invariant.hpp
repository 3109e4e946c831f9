#pragma once

#include <source_location>

namespace reelsd {

/// Aborts with the place when `holds` is false. For programmer errors only, on in production too:
/// errors of the world are handled, never asserted.
void invariant(bool holds, std::source_location where = std::source_location::current()) noexcept;

}  // namespace reelsd
