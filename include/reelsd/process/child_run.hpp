#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::process {

/// What is kept of standard error, from its end: the last words are the cause.
inline constexpr std::size_t child_error_output_bytes_max = std::size_t{2} * 1024;

/// Where a child finds `child_command::passed`.
inline constexpr int passed_descriptor = 3;

struct child_command {
    std::string program;                      ///< A path, not looked up.
    std::vector<std::string> arguments = {};  ///< Without the program's own name.
    /// All of it, "NAME=value".
    std::vector<std::string> environment = {};
    std::string folder = {};  ///< Where it runs; empty: where we do.
    /// An open descriptor of ours, above 2, that becomes its descriptor `passed_descriptor`; -1:
    /// none. Standard input is /dev/null.
    int passed = -1;
    /// The same for its standard output, of which `output` then has nothing; -1: it is kept.
    int standard_output = -1;
    /// Standard output that is kept. Whoever writes more is killed.
    std::size_t output_bytes_max = std::size_t{1024} * 1024;
};

enum class child_outcome : std::uint8_t {
    exited,       ///< By itself; `status` is its exit status.
    signalled,    ///< By a signal that we did not send; `status` is its number.
    overdue,      ///< Killed: the deadline passed.
    stopped,      ///< Killed: a stop was requested.
    flooding,     ///< Killed: it wrote more than it may.
    not_started,  ///< No such program, or no process or descriptor to be had. `status` is the
                  ///< errno, `error_output` says what failed.
};

struct child_end {
    child_outcome fate = child_outcome::exited;
    int status = 0;
    std::string output;        ///< Standard output, whole unless `flooding`.
    std::string error_output;  ///< The end of standard error.
    std::chrono::duration<double> lived{};
    std::chrono::duration<double> computed{};  ///< Time on a core, all its threads.
};

/// Starts `command` as the leader of its own process group, with no descriptor of ours but the one
/// that it is given, and default signal handling, and waits for its end. Blocks; any thread.
/// When it returns, the child is reaped, and whatever else is left in its group is killed.
[[nodiscard]] child_end run_child(
    const child_command& command, deadline by, const std::stop_token& stop);

/// Whether the kernel has what run_child() waits with, pidfd_open(2) of Linux 5.3. `internal` says
/// so in a sentence for the operator.
[[nodiscard]] result<void> check_kernel();

/// "SIGSEGV", or "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int number);

/// The absolute path of an executable program; nothing if there is none. A `name` with a slash is a
/// path. Any other name is searched for in the folders of `search_path`, which is in the form of
/// the variable PATH; relative folders are ignored.
[[nodiscard]] std::optional<std::filesystem::path> find_program(
    std::string_view name, std::string_view search_path);

/// The variable PATH of this process, or Debian's default.
[[nodiscard]] std::string_view search_path();

}  // namespace reelsd::process
