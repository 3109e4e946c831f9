#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>

#include <cstdint>
#include <string>
#include <vector>

// The command `reelsd-media fence`: a sandbox for yt-dlp, which does its own networking.
namespace reelsd::media {

/// Exit status when the program was not started; standard error has the cause. yt-dlp does not use
/// it.
inline constexpr int exit_not_sandboxed = 77;  // sysexits(3): permission denied

struct sandbox_arguments {
    std::vector<std::string> readable;  ///< Files and folders, in addition to those of the system.
    std::vector<std::string> writable;  ///< Folders.
    std::vector<std::uint16_t> ports;   ///< TCP ports that may be connected to.
    jail_policy jail = jail_policy::require;
    int parent = 0;                  ///< The process to die with; 0: none.
    char* const* program = nullptr;  ///< Path, arguments and a null pointer.
};

/// `count` and `values` are those of `main`; `values[1]` is "fence". The program follows "--".
[[nodiscard]] result<sandbox_arguments> read_sandbox_arguments(int count, char** values);

/// Runs the program in the sandbox and returns its exit status, or ends by its signal. Returns
/// `exit_not_sandboxed` when it was not started. Call with one thread.
[[nodiscard]] int run_sandboxed(const sandbox_arguments& given);

}  // namespace reelsd::media
