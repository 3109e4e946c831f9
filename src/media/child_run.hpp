#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::media {

/// Standard output that a child may write: a full report measured 60 KB (`bounds::result_bytes_max`
/// is ten times that); past eight times that bound it is not reporting.
inline constexpr std::size_t child_output_bytes_max = std::size_t{8} * 1024 * 1024;
/// What is kept of standard error, from its end: the last words are the cause.
inline constexpr std::size_t child_complaints_bytes_max = std::size_t{2} * 1024;

struct child_command {
    std::string program;                   ///< A path, not looked up.
    std::vector<std::string> arguments;    ///< Without the program's own name.
    std::vector<std::string> environment;  ///< All of it, "NAME=value".
};

enum class child_fate : std::uint8_t {
    exited,     ///< By itself; `status` is its exit status.
    signalled,  ///< By a signal that we did not send; `status` is its number.
    overdue,    ///< Killed: the deadline passed.
    stopped,    ///< Killed: a stop was requested.
    flooding,   ///< Killed: it wrote more than `child_output_bytes_max`.
};

struct child_end {
    child_fate fate = child_fate::exited;
    int status = 0;
    std::string output;      ///< Standard output, whole unless `flooding`.
    std::string complaints;  ///< The end of standard error.
    std::chrono::duration<double> lived{};
    std::chrono::duration<double> computed{};  ///< Time on a core, all its threads.
};

/// Starts `command` as the leader of its own process group, with /dev/null as standard input, no
/// other descriptor of ours and default signal handling, and waits for its end. Blocks; any thread.
/// When it returns, the child is reaped, and whatever else is left in its group is killed. The one
/// error is `media_failed`: no such program, or no process or descriptor to be had.
[[nodiscard]] result<child_end> run_child(
    const child_command& command, deadline by, const std::stop_token& stop);

}  // namespace reelsd::media
