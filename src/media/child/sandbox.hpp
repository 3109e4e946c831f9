#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>

#include <cstdint>
#include <string>
#include <vector>

// A sandbox for yt-dlp, a third-party program that does its own networking: the command
// `reelsd-media fence`.
namespace reelsd::media {

/// The exit status of a sandbox that has not started its program; standard error says why. No
/// status of yt-dlp.
inline constexpr int exit_not_sandboxed = 77;  // sysexits(3): permission denied

struct sandbox_arguments {
    std::vector<std::string> readable;  ///< Files and folders besides those of the system.
    std::vector<std::string> writable;  ///< Folders.
    std::vector<std::uint16_t> ports;   ///< TCP ports that may be connected to.
    jail_policy jail = jail_policy::require;
    int parent = 0;                  ///< The process to die with; 0: none.
    char* const* program = nullptr;  ///< Its path and arguments, and a null pointer.
};

/// `count` and `values` as `main` has them; `values[1]` is "fence". The program is what follows
/// "--".
[[nodiscard]] result<sandbox_arguments> read_sandbox_arguments(int count, char** values);

/// Starts the program inside the sandbox and ends as it ends: with its exit status or its signal.
/// Returns `exit_not_sandboxed` when it was not started. Call while there is one thread.
[[nodiscard]] int run_sandboxed(const sandbox_arguments& given);

}  // namespace reelsd::media
