#pragma once

#include "simulated_queue.hpp"
#include "simulated_runner.hpp"
#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/work/engine/dispatcher.hpp>

#include <functional>
#include <memory>

namespace reelsd::simulation {

/// One start of one daemon: the real dispatcher with a simulated queue and simulated work.
/// Destroying it acts like `kill -9`.
class simulated_daemon {
public:
    struct settings {
        daemon_start who;
        std::size_t workers = 1;
        seconds_f lease{60};
        double lease_rate = 1;  ///< As for simulated_queue.
    };

    /// `die` is called when work takes the daemon down.
    simulated_daemon(
        simulated_database& database, const work_mix& mix, const settings& with,
        std::function<void()> die);
    simulated_daemon(const simulated_daemon&) = delete;
    simulated_daemon& operator=(const simulated_daemon&) = delete;
    ~simulated_daemon();

    void wake() { dispatcher_->wake(); }
    void cancel(job_id job) { dispatcher_->cancel(job); }
    /// A client of this daemon waits until the job has ended or is gone.
    void wait_for_end(job_id job);

    void cut_off() { queue_.cut_off(); }
    void join_again() { queue_.join_again(); }

    /// As at SIGTERM.
    void stop();
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
    /// Whether the stop is complete: no work is left, or the time is over.
    [[nodiscard]] bool has_stopped() const noexcept { return has_stopped_; }
    [[nodiscard]] bool is_drained() const noexcept { return is_drained_; }

    [[nodiscard]] std::size_t held() const noexcept { return dispatcher_->held(); }
    [[nodiscard]] std::size_t busy() const noexcept { return dispatcher_->busy(); }
    [[nodiscard]] std::size_t unbegun() const noexcept { return dispatcher_->unbegun(); }
    [[nodiscard]] std::size_t waiting_clients() const noexcept { return job_changed_.waiters(); }

    /// Checks the invariants between two steps.
    void check() const;

private:
    [[nodiscard]] work::dispatcher_options options();
    boost::asio::awaitable<void> stop_dispatcher();
    boost::asio::awaitable<void> await_end(job_id job);

    simulated_database& database_;
    settings settings_;
    jobs::retry_policy policy_;
    jobs::platform_line line_;
    async::condition job_changed_;  ///< By this daemon.
    simulated_queue queue_;
    async::task_group tasks_;
    const simulated_runner* runner_ = nullptr;  ///< Owned by the dispatcher.
    std::unique_ptr<work::dispatcher> dispatcher_;
    std::uint64_t ended_ = 0;    ///< Attempts that on_attempt_ended has counted.
    std::uint64_t written_ = 0;  ///< Those of them that were reported.
    bool is_stopping_ = false;
    bool has_stopped_ = false;
    bool is_drained_ = false;
};

}  // namespace reelsd::simulation
