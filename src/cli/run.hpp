#pragma once

#include "exit_code.hpp"

namespace reelsd::cli {

/// The whole program: reads the command line and the settings, runs the command.
[[nodiscard]] exit_code run(int argc, const char* const* argv);

}  // namespace reelsd::cli
