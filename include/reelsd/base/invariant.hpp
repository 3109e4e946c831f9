#pragma once

#include <boost/assert/source_location.hpp>

namespace reelsd {

/// Aborts and prints the location when `holds` is false. For programming errors only, even in
/// production; other errors are handled.
void invariant(bool holds, boost::source_location where = BOOST_CURRENT_LOCATION) noexcept;

}  // namespace reelsd
