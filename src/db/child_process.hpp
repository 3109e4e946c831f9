#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <sys/types.h>

#include <csignal>
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
    /// Nothing: as this process. Only root may give one.
    std::optional<account> run_as;
    /// Standard output and error go to the end of this file; standard input is empty.
    std::filesystem::path output;
};

/// Starts a program in a session of its own (the terminal's Ctrl-C is for the daemon alone),
/// without any of our descriptors, with a small fixed environment. It gets SIGINT when the calling
/// thread ends, also when this process is killed. Errors: database_unavailable, with the step that
/// failed. The caller reaps it.
[[nodiscard]] result<pid_t> start_child(const child_options& options);

/// Waits for a child to end. Its wait status; nothing when `by` passed first.
[[nodiscard]] std::optional<int> wait_for_child(pid_t child, deadline by);

/// The first of `folders` that this user may not enter; nothing when he may enter all.
[[nodiscard]] result<std::optional<std::filesystem::path>> first_unreachable(
    const account& user, const std::vector<std::filesystem::path>& folders);

/// Readable when the process ends; empty where the kernel has no such descriptors (before 5.3, or
/// filtered).
[[nodiscard]] unique_fd watch_process(pid_t process);

/// "Permission denied (13)".
[[nodiscard]] std::string words_of_errno(int number);

}  // namespace reelsd::db
