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

/// Implementation of private_cluster. Decides whether to start, wait for, use or give up the
/// server, under the start-up lock that all processes of one data directory share.
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
    /// Distinguishes a file from one that replaced it under the same path.
    struct file_identity {
        dev_t device;
        ino_t number;

        bool operator==(const file_identity&) const = default;
    };
    [[nodiscard]] static std::optional<file_identity> identity_of(
        const std::filesystem::path& file);

    /// Progress of one call of bring_up().
    struct launch_state {
        /// This call has started a server. The end of a server that was killed earlier may become
        /// visible only now and is no failed start.
        bool started = false;
        std::uintmax_t log_begin = 0;  ///< Size of the log at the start.
        std::string waiting_for = "the private PostgreSQL server does not answer";
    };

    [[nodiscard]] result<unique_fd> lock_start(const cluster_layout& layout, deadline by) const;
    [[nodiscard]] result<void> bring_up(const cluster_layout& layout, deadline by);
    /// Errors: the failed start of this call's server, unless the cause is transient.
    [[nodiscard]] result<void> start_if_gone(
        const cluster_layout& layout, launch_state& launched, deadline by);
    [[nodiscard]] result<void> start(const cluster_layout& layout, deadline by);
    [[nodiscard]] result<void> initialise(const cluster_layout& layout, deadline by) const;
    [[nodiscard]] result<void> run_initdb(
        const cluster_layout& layout, const std::filesystem::path& folder, deadline by) const;
    void ask_to_stop(bool stopping) noexcept;
    /// Waits 100 ms. Errors: timed_out with `for_what`, cancelled by stop().
    [[nodiscard]] result<void> pause(deadline by, const std::string& for_what) const;

    cluster_options options_;
    log::logger logger_;
    std::mutex calls_;           ///< Serializes ensure_running() and stop().
    mutable std::mutex asking_;  ///< Guards `stopping_`; held only briefly.
    mutable std::condition_variable stop_asked_;
    bool stopping_ = false;
    std::filesystem::path program_;               ///< Program of `server_`; guarded by `asking_`.
    std::optional<file_identity> program_begun_;  ///< Just before the start; guarded by `asking_`.
    std::atomic<bool> server_alive_{false};
    std::unique_ptr<postmaster> server_;  ///< Empty unless this process started the server.
};

}  // namespace reelsd::db
