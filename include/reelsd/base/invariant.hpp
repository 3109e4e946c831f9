#pragma once

#include <boost/assert/source_location.hpp>

namespace reelsd {

/// Aborts with the place when `holds` is false. For programmer errors only, on in production too:
/// errors of the world are handled, never asserted.
void invariant(bool holds, boost::source_location where = BOOST_CURRENT_LOCATION) noexcept;

}  // namespace reelsd
