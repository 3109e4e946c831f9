#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace reelsd::db {

struct cluster_layout;
class postmaster;

struct cluster_options {
    /// Contains `postgres/` (the cluster), `postgres.log`, `postgres.lock` and `run/` (the socket).
    /// Created when missing.
    std::filesystem::path data_dir;
    /// The folder of `initdb` and `postgres`. Empty: the newest installation from version 15 on
    /// that fits the existing cluster, or else PATH.
    std::filesystem::path binaries;
    /// Contains N/bin for each installed version.
    std::filesystem::path installations = "/usr/lib/postgresql";
    /// False disables fsync, for temporary clusters of tests.
    bool durable = true;
    /// Whether the first start may upgrade the cluster to the newest installation.
    bool upgrades = false;
};

/// The daemon's own PostgreSQL: a cluster in its data directory, reachable only over a Unix socket
/// in a private folder. Several processes may use one data directory. The first one starts the
/// server, which ends with it (fast shutdown, even after SIGKILL). The next process that calls
/// ensure_running() starts it again.
///
/// If this process is root, the server runs as the owner of an existing cluster or else of the data
/// directory; if that is root or has no name, as `postgres`, else as `nobody`.
///
/// Blocking: call it before the loop runs or from a helper thread. Thread-safe; calls exclude each
/// other. This object owns the thread that starts the server, because Linux ties the death signal
/// to the thread that forks.
class private_cluster {
public:
    private_cluster(cluster_options options, log::logger logger);
    /// Calls stop().
    ~private_cluster();

    /// Creates the cluster and starts the server if necessary, waits until it serves, and returns
    /// the connection string for libpq. The first call also upgrades a cluster whose server does
    /// not run to the newest installation if the options allow that, within ten minutes more than
    /// `by`; if that fails, it starts the old one. A first start takes seconds. The call also waits
    /// for recovery after a crash and for a server that is shutting down. A server that was started
    /// keeps running after timed_out. Errors, each one line that names the folder or program and
    /// the remedy: storage_failed, database_unavailable (no programs, no permission, failed start),
    /// timed_out.
    [[nodiscard]] result<std::string> ensure_running(deadline by);

    /// ensure_running() by `by`. If the server that it started does not serve by then, because it
    /// recovers after a crash, waits until `recovered_by`: a stop would discard the progress of the
    /// recovery.
    [[nodiscard]] result<std::string> ensure_recovered(deadline by, deadline recovered_by);

    /// Calls stop(), then ensure_running(). Does not stop a server of another process. Same errors.
    [[nodiscard]] result<std::string> restart(deadline by);

    /// Ends calls of ensure_running() and restart() with errc::cancelled: those in progress, in any
    /// thread, and those before the next stop().
    void interrupt() noexcept { set_stopping(true); }

    /// Stops the server if this object started it: a fast shutdown, then an immediate one after
    /// 10 s. Otherwise no effect.
    void stop() noexcept;

    /// True while the server that this object started runs.
    [[nodiscard]] bool is_owner() const noexcept { return server_alive_; }

    /// True when this object started the server and its program on disk was replaced since, for
    /// example by a minor upgrade. Any thread; two system calls.
    [[nodiscard]] bool is_outdated() const;

private:
    struct launch_state;

    [[nodiscard]] result<unique_fd> lock_start(const cluster_layout& layout, deadline by) const;
    /// Upgrades the cluster if the options allow it, and logs the outcome.
    void upgrade(const cluster_layout& layout) const;
    [[nodiscard]] result<void> bring_up(const cluster_layout& layout, deadline by);
    /// Errors: the failed start of this call's server, unless the cause is transient.
    [[nodiscard]] result<void> start_if_gone(
        const cluster_layout& layout, launch_state& launched, deadline by);
    [[nodiscard]] result<void> start(const cluster_layout& layout, deadline by);
    [[nodiscard]] result<void> initialise(const cluster_layout& layout, deadline by) const;
    void set_stopping(bool stopping) noexcept;
    /// Waits 100 ms. Errors: timed_out with `for_what`, cancelled by stop().
    [[nodiscard]] result<void> pause(deadline by, const std::string& for_what) const;

    cluster_options options_;
    log::logger logger_;
    std::mutex calls_;               ///< Serializes ensure_running() and stop().
    mutable std::mutex state_lock_;  ///< Guards the next four; held only briefly.
    mutable std::condition_variable stop_requested_;
    bool stopping_ = false;
    bool is_first_start_ = true;               ///< Guarded by `calls_`.
    std::filesystem::path program_;            ///< Program of `server_`.
    std::optional<struct stat> program_file_;  ///< Status of `program_` just before the start.
    std::atomic<bool> server_alive_{false};
    std::unique_ptr<postmaster> server_;  ///< Empty unless this process started the server.
};

}  // namespace reelsd::db
