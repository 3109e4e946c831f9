#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace reelsd::db {

struct cluster_options {
    /// Holds `postgres/` (the cluster), `postgres.log`, `postgres.lock` and `run/` (the socket).
    /// Made when missing.
    std::filesystem::path data_dir;
    /// The folder of `initdb` and `postgres`; empty: the newest of /usr/lib/postgresql/*/bin from
    /// 15 on that fits the existing cluster, else PATH.
    std::filesystem::path binaries;
    /// False: no fsync, for throw-away clusters of tests.
    bool durable = true;
};

/// The daemon's own PostgreSQL: a cluster in its data directory, reachable over a Unix socket in a
/// private folder alone. Any number of processes may use one data directory at once: the first
/// starts the server, which dies with it (fast shutdown, also after SIGKILL), and whoever calls
/// ensure_running() next starts it again.
///
/// As root, the server runs as the owner of an existing cluster, else as `postgres`, else as
/// `nobody`.
///
/// Threads: blocking, so call it before the loop runs or from a helper thread, any one; calls
/// exclude each other. The server is started from a thread that this object owns, because Linux
/// ties the death signal to the thread that forks.
class private_cluster {
public:
    private_cluster(cluster_options options, log::logger logger);
    private_cluster(const private_cluster&) = delete;
    private_cluster& operator=(const private_cluster&) = delete;
    /// As stop().
    ~private_cluster();

    /// Makes the cluster if there is none, starts the server if nobody has, waits until it serves,
    /// and gives the connection string for libpq. Does nothing but look when it serves already. A
    /// first start takes seconds; recovery after a crash, and the end of a server that still shuts
    /// down, are waited for: give it 120 s. Errors, each one line that names the folder or program
    /// and what to do: storage_failed, database_unavailable (no programs, no permission, failed
    /// start), timed_out.
    [[nodiscard]] result<std::string> ensure_running(deadline by);

    /// stop(), then ensure_running(); with another owner, ensure_running() alone. Same errors.
    [[nodiscard]] result<std::string> restart(deadline by);

    /// Ends a call of ensure_running() or restart() that is under way, in any thread, and those to
    /// come before the next stop(): errc::cancelled.
    void interrupt() noexcept;

    /// Stops the server if this object started it: fast, after 10 s at once. No effect otherwise.
    void stop() noexcept;

    /// True when this object started the server and it lives.
    [[nodiscard]] bool is_owner() const noexcept;

    /// True when this object started the server and its program on disk has been replaced since, as
    /// by a minor upgrade. Any thread; two system calls.
    [[nodiscard]] bool is_outdated() const;

private:
    std::unique_ptr<class cluster_supervisor> supervisor_;
};

}  // namespace reelsd::db
