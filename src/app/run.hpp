#pragma once

#include "command_line.hpp"

namespace reelsd::app {

/// Does what was asked for. Returns the exit code: 0 done, 1 failed (said why on standard error).
int run(const invocation& asked);

}  // namespace reelsd::app
