#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::process {

/// Upper bound on the kept end of standard error, which contains the cause of a failure.
inline constexpr std::size_t child_error_output_bytes_max = std::size_t{2} * 1024;

/// Upper bound on `child_command::reply`. A pipe takes as much without blocking (pipe(7)).
inline constexpr std::size_t reply_bytes_max = 4096;

/// The child's descriptor for `child_command::passed`.
inline constexpr int passed_descriptor = 3;

struct child_command {
    std::string program;                      ///< A path; PATH is not searched.
    std::vector<std::string> arguments = {};  ///< Without the program's own name.
    /// The whole environment, as "NAME=value".
    std::vector<std::string> environment = {};
    std::string folder = {};  ///< Working directory; empty: the parent's.
    /// An open descriptor above 2 that becomes the child's `passed_descriptor`; -1: none.
    int passed = -1;
    /// An open descriptor for its standard output; -1: `child_end::output` receives it.
    int standard_output = -1;
    /// Upper bound on standard output. A child that writes more is killed.
    std::size_t output_bytes_max = std::size_t{1024} * 1024;
    /// Called once, on the calling thread, when standard output first ends with a newline, with the
    /// output so far, which is then not part of `child_end::output`. What it returns, at most
    /// `reply_bytes_max`, is the child's standard input. Empty: standard input is /dev/null.
    std::function<std::string(std::string_view output)> reply = {};
};

enum class child_outcome : std::uint8_t {
    exited,       ///< `status` is its exit status.
    signalled,    ///< By a signal of another sender; `status` is its number.
    overdue,      ///< Killed: the deadline passed.
    stopped,      ///< Killed: a stop was requested.
    flooding,     ///< Killed: it wrote more than `output_bytes_max`.
    not_started,  ///< No such program, process or descriptor. `status` is the errno,
                  ///< `error_output` names the failed step.
};

struct child_end {
    child_outcome outcome = child_outcome::exited;
    int status = 0;
    std::string output;        ///< Standard output, whole unless `flooding`; without `reply`'s.
    std::string error_output;  ///< The end of standard error.
    std::chrono::duration<double> lived{};
    std::chrono::duration<double> computed{};  ///< Time on a core, all its threads.
};

/// Starts `command` as the leader of its own process group, with no descriptors except the passed
/// ones and with default signal handling, and waits for its end. Then the child is reaped and the
/// rest of its group is killed. Blocks; thread-safe.
[[nodiscard]] child_end run_child(
    const child_command& command, deadline by, const std::stop_token& stop);

/// Checks that the kernel has pidfd_open(2) (Linux 5.3), which run_child() needs. Errors:
/// `internal`, with a sentence for the operator.
[[nodiscard]] result<void> check_kernel();

/// "SIGSEGV", or "signal 42" for one without a name.
[[nodiscard]] std::string signal_name(int number);

/// The absolute path of an executable program; empty if there is none. A `name` with a slash is a
/// path. Any other name is searched for in the folders of `search_path`, which is in the form of
/// the variable PATH; relative folders are ignored.
[[nodiscard]] std::optional<std::filesystem::path> find_program(
    std::string_view name, std::string_view search_path);

/// The variable PATH of this process, or Debian's default.
[[nodiscard]] std::string_view search_path();

}  // namespace reelsd::process
