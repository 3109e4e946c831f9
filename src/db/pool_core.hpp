#pragma once

#include "connection.hpp"
#include "connector.hpp"
#include "pending_query.hpp"
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

/// How long to wait before the next attempt to connect: 100 ms, doubling to 1 s. The cap keeps the
/// pool within 2 s of the server's return; the doubling keeps a dead server's host from being
/// hammered.
class backoff {
public:
    [[nodiscard]] std::chrono::milliseconds next() noexcept {
        const auto now = delay_;
        delay_ = std::min(delay_ * 2, delay_max);
        return now;
    }
    void reset() noexcept { delay_ = delay_min; }

    static constexpr std::chrono::milliseconds delay_min{100};
    static constexpr std::chrono::milliseconds delay_max{1000};

private:
    std::chrono::milliseconds delay_ = delay_min;
};

/// The pool's inside: who waits, who is in flight where, and the healing. On the loop's thread
/// only.
///
/// Deadlines: one timer for all exchanges, set to the earliest. Since most deadlines are seconds
/// away and most answers are not, it is set about once per deadline's length, not once per
/// statement.
class pool_core : public std::enable_shared_from_this<pool_core> {
public:
    pool_core(asio::any_io_executor loop, pool_options options, log::logger logger);
    pool_core(const pool_core&) = delete;
    pool_core& operator=(const pool_core&) = delete;
    ~pool_core() = default;

    void start();
    void close();

    /// Sends nothing and connects to nothing until go_on(); what is in flight stays so.
    /// What waits does so until then at least.
    void suspend(deadline waiting_by);
    void go_on();
    /// Closes what owes nothing.
    void close_idle();
    [[nodiscard]] bool owes_nothing() const { return sent_count() == 0; }
    /// Told of each answer and each loss while suspended.
    [[nodiscard]] async::condition& settled() noexcept { return settled_; }

    /// Takes on one exchange; its caller is completed later, never from within.
    void submit(const std::shared_ptr<pending_query>& one);

    /// The caller of this exchange no longer waits.
    void cancel(const std::shared_ptr<pending_query>& one);

    [[nodiscard]] const asio::any_io_executor& loop() const noexcept { return loop_; }
    [[nodiscard]] pool_state state() const;
    [[nodiscard]] const metrics_by_query& metrics() const noexcept { return metrics_; }

private:
    [[nodiscard]] std::size_t sent_count() const;
    /// Whether a connection may be counted on: it owes nothing, or has spoken lately.
    [[nodiscard]] static bool is_heard(const connection& one);
    [[nodiscard]] std::size_t heard_count() const;
    /// Nothing, unless one is there that may be counted on.
    [[nodiscard]] std::shared_ptr<connection> least_busy() const;
    void send(connection& through, const std::shared_ptr<pending_query>& one);
    void give_out_waiting();
    void wait_longer(pending_query& one) const;

    [[nodiscard]] bool wants_another() const;
    [[nodiscard]] bool is_attempting() const;
    void open_after(std::chrono::milliseconds wait);
    void open_now();
    void on_opened(std::size_t which, result<connection_ptr> outcome);
    void on_open_failed(const std::string& why);
    /// Those that were opened in place of connections that have spoken again.
    void close_extra();
    void on_lost(
        const connection& lost, const std::deque<std::shared_ptr<pending_query>>& unanswered,
        const std::string& why);
    [[nodiscard]] connection_events events();

    void on_answered(pending_query& one);
    void fail(pending_query& one, outage reason, const std::string& why);
    void finish(pending_query& one, std::exception_ptr problem, rows answer);

    void watch_until(deadline::clock::time_point when);
    void on_watch();
    void end_overdue(deadline::clock::time_point now);

    asio::any_io_executor loop_;
    pool_options options_;
    log::logger logger_;
    std::vector<std::unique_ptr<connector>> connectors_;
    std::vector<bool> attempting_;  ///< Which of them are at it.
    /// As long as an attempt is under way, when the next one begins beside it.
    deadline::clock::time_point next_attempt_at_;
    backoff backoff_;
    asio::steady_timer retry_timer_;
    asio::steady_timer attempt_timer_;
    asio::steady_timer watch_timer_;
    deadline::clock::time_point watching_until_ = deadline::clock::time_point::max();
    std::vector<std::shared_ptr<connection>> connections_;
    std::deque<std::shared_ptr<pending_query>>
        waiting_;  ///< In order of arrival; none has been sent.
    metrics_by_query metrics_;
    std::string last_error_;
    bool lacks_library_ = false;
    bool retry_pending_ = false;  ///< An attempt will begin when retry_timer_ ends.
    async::condition settled_;
    std::optional<deadline> suspended_until_;  ///< What waits may do so until then at least.
    bool closed_ = false;
};

}  // namespace reelsd::db
