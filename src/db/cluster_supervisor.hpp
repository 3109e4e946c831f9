#pragma once

#include "cluster_layout.hpp"
#include "postmaster.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace reelsd::db {

/// private_cluster's inside: which of start, wait, use or give up is right, under the start-up lock
/// that all processes of one data directory share.
class cluster_supervisor {
public:
    cluster_supervisor(cluster_options options, log::logger logger);
    cluster_supervisor(const cluster_supervisor&) = delete;
    cluster_supervisor& operator=(const cluster_supervisor&) = delete;
    ~cluster_supervisor();

    [[nodiscard]] result<std::string> ensure_running(deadline by);
    [[nodiscard]] result<std::string> restart(deadline by);
    void stop() noexcept;
    void interrupt() noexcept { ask_to_stop(true); }
    [[nodiscard]] bool is_owner() const noexcept { return server_alive_; }
    [[nodiscard]] bool is_outdated() const;

private:
    /// A file as it is told from one that replaced it under the same path.
    struct file_identity {
        dev_t device;
        ino_t number;

        bool operator==(const file_identity&) const = default;
    };
    [[nodiscard]] static std::optional<file_identity> identity_of(
        const std::filesystem::path& file);

    /// How far one call of bring_up() has come.
    struct launch_state {
        /// By this call. A server that was killed just before it may be seen to end only during it:
        /// its end says nothing about a start now.
        bool started = false;
        std::uintmax_t log_begin = 0;  ///< Where the log stood then.
        std::string waiting_for = "the private PostgreSQL server does not answer";
    };

    [[nodiscard]] result<unique_fd> lock_start(const cluster_layout& layout, deadline by) const;
    [[nodiscard]] result<void> bring_up(const cluster_layout& layout, deadline by);
    /// Errors: the failed start of a server of this call, unless it may pass by itself.
    [[nodiscard]] result<void> start_if_gone(
        const cluster_layout& layout, launch_state& launched, deadline by);
    [[nodiscard]] result<void> start(const cluster_layout& layout, deadline by);
    [[nodiscard]] result<void> initialise(const cluster_layout& layout, deadline by) const;
    [[nodiscard]] result<void> run_initdb(
        const cluster_layout& layout, const std::filesystem::path& into, deadline by) const;
    void ask_to_stop(bool stopping) noexcept;
    /// Waits 100 ms. Errors: timed_out with `for_what`, cancelled by stop().
    [[nodiscard]] result<void> pause(deadline by, const std::string& for_what) const;

    cluster_options options_;
    log::logger logger_;
    std::mutex calls_;           ///< One ensure_running() or stop() at a time.
    mutable std::mutex asking_;  ///< Guards `stopping_`; never held while a call is under way.
    mutable std::condition_variable stop_asked_;
    bool stopping_ = false;
    std::filesystem::path program_;               ///< Of `server_`; guarded by `asking_`.
    std::optional<file_identity> program_begun_;  ///< As it was just before; guarded by `asking_`.
    std::atomic<bool> server_alive_{false};
    std::unique_ptr<postmaster>
        server_;  ///< Ours; empty when another process started it, or nobody.
};

}  // namespace reelsd::db
