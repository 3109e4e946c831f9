#pragma once

#include <cstdint>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
}

namespace reelsd::cli {

enum class shell : std::uint8_t { bash, zsh, fish };

/// A script that teaches the shell to complete the program's commands, options and those of their
/// values that are known. It needs nothing but the shell, and starts no program while it completes.
/// An option of one name takes a value in every command or in none (an invariant).
[[nodiscard]] std::string completion_script(const CLI::App& program, shell wanted);

}  // namespace reelsd::cli
