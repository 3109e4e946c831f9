#pragma once

#include "command_description.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace reelsd::cli {

/// What CLI11 knows of a program or command and of its commands.
[[nodiscard]] command_description describe(const CLI::App& app);

}  // namespace reelsd::cli
