#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {

/// A user of the system that a child runs as.
struct account {
    uid_t uid;
    gid_t gid;
    std::string name;
};

struct child_options {
    /// The program's full path, then its arguments.
    std::vector<std::string> arguments;
    /// Nothing: the user of this process. Only root may set another.
    std::optional<account> run_as;
    /// Standard output and error go to the end of this file.
    std::filesystem::path output;
    std::filesystem::path folder = "/";  ///< Its working directory.
    std::string input = {};              ///< Its standard input, at most a few KiB.
};

/// Starts a program in its own session (the terminal's Ctrl-C reaches only the daemon), without
/// this process's descriptors and with a small fixed environment. It receives SIGINT when the
/// calling thread ends, even if this process is killed. Errors: database_unavailable, with the step
/// that failed. The caller reaps it.
[[nodiscard]] result<pid_t> start_child(const child_options& options);

/// Waits for a child to end. Returns its wait status, or nothing if `by` passes first.
[[nodiscard]] std::optional<int> wait_for_child(pid_t child, deadline by);

/// Returns the first of `folders` that this user may not enter; empty if all may be entered.
[[nodiscard]] result<std::optional<std::filesystem::path>> first_unreachable(
    const account& user, const std::vector<std::filesystem::path>& folders);

/// Returns a descriptor that becomes readable when the process ends. Empty if the kernel has no
/// pidfd_open() (before 5.3, or filtered).
[[nodiscard]] unique_fd watch_process(pid_t process);

/// Returns the text of an errno, such as "Permission denied (13)".
[[nodiscard]] std::string numbered_errno_text(int number);

}  // namespace reelsd::db
