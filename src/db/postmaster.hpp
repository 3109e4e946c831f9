#pragma once

#include "child_process.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>

namespace reelsd::db {

/// A PostgreSQL server that this process started, and the thread that started and supervises it.
/// The server receives its death signal when that thread ends. Keeps the server's log below 10 MiB.
class postmaster {
public:
    /// Errors: database_unavailable when the program cannot be executed. Success does not mean that
    /// the server serves or stays alive: `alive`, which outlives this, is true while it runs.
    [[nodiscard]] static result<std::unique_ptr<postmaster>> start(
        child_options options, std::atomic<bool>& alive, log::logger logger);

    postmaster(const postmaster&) = delete;
    postmaster& operator=(const postmaster&) = delete;
    /// Stops the server and waits for its end: SIGINT (fast: open statements are rolled back),
    /// SIGQUIT after 10 s (immediate: recovery at the next start), SIGKILL after 5 s more.
    ~postmaster();

private:
    postmaster(child_options options, std::atomic<bool>& alive, log::logger logger);

    void watch(pid_t child);
    void end(pid_t child);
    [[nodiscard]] bool reap(pid_t child, deadline by);
    void trim_log() const;

    child_options options_;
    std::atomic<bool>& alive_;
    log::logger logger_;
    unique_fd stop_;
    std::jthread thread_;
};

}  // namespace reelsd::db
