#pragma once

#include "connection.hpp"
#include "connector.hpp"
#include <reelsd/async/condition.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {

/// Delay before the next attempt to connect: 100 ms, doubling to 1 s. The cap lets the pool recover
/// within 2 s of the server's return; the doubling limits the load on a dead server's host.
class backoff {
public:
    [[nodiscard]] std::chrono::milliseconds next() noexcept {
        const auto delay = delay_;
        delay_ = std::min(delay_ * 2, delay_max);
        return delay;
    }
    void reset() noexcept { delay_ = delay_min; }

    static constexpr std::chrono::milliseconds delay_min{100};
    static constexpr std::chrono::milliseconds delay_max{1000};

private:
    std::chrono::milliseconds delay_ = delay_min;
};

/// Implementation of pool: waiting queries, queries in flight, and reconnection. Thread: the loop's
/// only.
///
/// Deadlines: one timer for all queries, set to the earliest deadline. Most answers arrive long
/// before their deadlines, so the timer is set about once per deadline's length, not once per
/// statement.
class pool_core : public std::enable_shared_from_this<pool_core> {
public:
    pool_core(asio::any_io_executor loop, pool_options options, log::logger logger);
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;
    ~pool_core() = default;

    void start();
    void close();

    /// Sends nothing and opens no connection until resume(). Queries in flight stay in flight.
    /// Waiting queries wait at least until `waiting_by`.
    void suspend(deadline waiting_by);
    void resume();
    /// Closes connections without queries in flight.
    void close_idle();
    [[nodiscard]] bool owes_nothing() const { return sent_count() == 0; }
    /// Notified of each answer and each lost connection while suspended.
    [[nodiscard]] async::condition& settled() noexcept { return settled_; }

    /// Accepts one query. Completes its caller later, never inside this call.
    void submit(const std::shared_ptr<pending_query>& query);

    /// Completes the caller of this query with operation_aborted.
    void cancel(const std::shared_ptr<pending_query>& query);

    [[nodiscard]] const asio::any_io_executor& loop() const noexcept { return loop_; }
    [[nodiscard]] pool_state state() const;
    [[nodiscard]] const metrics_by_query& metrics() const noexcept { return metrics_; }

private:
    [[nodiscard]] std::size_t sent_count() const;
    /// Whether a connection is responsive: it owes no answer, or sent something within a second.
    [[nodiscard]] static bool is_responsive(const connection& connection);
    [[nodiscard]] std::size_t responsive_count() const;
    /// The least busy responsive connection; null without one.
    [[nodiscard]] std::shared_ptr<connection> least_busy() const;
    void send(connection& through, const std::shared_ptr<pending_query>& query);
    void send_waiting();
    void wait_longer(pending_query& query) const;

    [[nodiscard]] bool wants_another() const;
    [[nodiscard]] bool is_attempting() const;
    void open_after(std::chrono::milliseconds wait);
    void open_now();
    void on_opened(std::size_t which, result<connection_ptr> outcome);
    void on_open_failed(const std::string& why);
    /// Closes connections that replaced others which are responsive again.
    void close_extra();
    void on_lost(
        const connection& lost, const std::deque<std::shared_ptr<pending_query>>& unanswered,
        const std::string& why);
    [[nodiscard]] connection_events events();

    void on_answered(pending_query& query);
    void fail(pending_query& query, outage reason, const std::string& why);
    void finish(pending_query& query, std::exception_ptr problem, rows answer);

    void watch_until(deadline::clock::time_point when);
    void on_watch();
    void end_overdue(deadline::clock::time_point now);

    asio::any_io_executor loop_;
    pool_options options_;
    log::logger logger_;
    std::vector<std::unique_ptr<connector>> connectors_;
    std::vector<bool> attempting_;  ///< Which connectors have an attempt in progress.
    /// When the next concurrent attempt begins while one is in progress.
    deadline::clock::time_point next_attempt_at_;
    backoff backoff_;
    asio::steady_timer retry_timer_;
    asio::steady_timer attempt_timer_;
    asio::steady_timer watch_timer_;
    deadline::clock::time_point watching_until_ = deadline::clock::time_point::max();
    std::vector<std::shared_ptr<connection>> connections_;
    std::deque<std::shared_ptr<pending_query>> waiting_;  ///< Unsent, in order of arrival.
    metrics_by_query metrics_;
    std::string last_error_;
    bool lacks_library_ = false;
    bool retry_pending_ = false;  ///< An attempt will begin when retry_timer_ ends.
    async::condition settled_;
    std::optional<deadline> suspended_until_;  ///< Waiting queries wait at least until then.
    bool closed_ = false;
};

}  // namespace reelsd::db
