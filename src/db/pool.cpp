#include "connection.hpp"
#include "session.hpp"
#include <reelsd/async/condition.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <string_view>
#include <tuple>

namespace reelsd::db {
namespace {

using boost::system::error_code;
using moment = deadline::clock::time_point;

/// A connection that has owed an answer for this long is chosen only if all have: its server
/// process waits for a lock or a disk, and later statements wait behind.
constexpr auto slow_after = std::chrono::milliseconds{250};

/// A connection that has owed an answer for this long counts as unresponsive: its network may have
/// failed silently. The pool sends nothing more there until it answers, and opens another in its
/// place.
constexpr auto silence_tolerated = std::chrono::seconds{1};

/// An attempt to connect that takes longer than a login over a slow line may have been lost by a
/// network that works again. Another attempt then begins, and all continue.
constexpr auto next_attempt_after = std::chrono::milliseconds{1200};
/// As many attempts as begin before the first one times out.
constexpr std::size_t attempts_max = 5;

/// A connection that broke before this age does not count as a recovery.
constexpr auto stable_after = std::chrono::seconds{1};

/// Completes a caller on the loop, never inside the code that has the answer, which may be
/// iterating over its lists.
struct resumption {
    waiter caller;
    std::exception_ptr problem;
    rows answer;

    void operator()() { std::move(caller)(std::move(problem), std::move(answer)); }
};

void complete(
    const asio::any_io_executor& loop, pending_query& ended, std::exception_ptr problem,
    rows answer) {
    auto slot = asio::get_associated_cancellation_slot(ended.caller);
    if (slot.is_connected()) slot.clear();
    waiter caller{std::move(ended.caller)};
    asio::post(loop, resumption{std::move(caller), std::move(problem), std::move(answer)});
}

/// The server's own SQLSTATE for text that it cannot store.
std::exception_ptr unsendable(const query& what) {
    const server_error why{
        .sqlstate = "22021",
        .message = "a parameter contains a NUL character or a time out of range"};
    return failure_of(what.name(), why);
}

}  // namespace

/// Implementation of pool: waiting queries, queries in flight, and reconnection. Thread: the loop's
/// only.
///
/// Deadlines: one timer for all queries, set to the earliest deadline. Most answers arrive long
/// before their deadlines, so the timer is set about once per deadline's length, not once per
/// statement.
class pool_core : public std::enable_shared_from_this<pool_core> {
public:
    pool_core(asio::any_io_executor loop, pool_options options, log::logger logger)
        : loop_{std::move(loop)},
          options_{std::move(options)},
          logger_{std::move(logger)},
          selects_writable_{selects_writable(options_.connection_string)},
          attempting_(attempts_max, false),
          retry_timer_{loop_},
          attempt_timer_{loop_},
          watch_timer_{loop_} {
        invariant(options_.connections >= 1 && options_.connections <= 32);
        invariant(options_.in_flight_max >= 1);
        // Plans are cached: one made while a table was empty would keep scanning the whole table.
        const session_limits limits{
            .statement_timeout = options_.statement_timeout,
            .lock_timeout = options_.lock_timeout,
            .finds_rows_by_index = true};
        while (connectors_.size() < attempts_max) {
            connectors_.push_back(
                std::make_unique<connector>(loop_, options_.connection_string, limits));
        }
    }

    ~pool_core() = default;

    void start() { open_after({}); }

    void close() {
        if (std::exchange(closed_, true)) return;
        retry_timer_.cancel();
        attempt_timer_.cancel();
        watch_timer_.cancel();
        for (const auto& connector : connectors_) connector->stop();
        auto abandoned = std::exchange(waiting_, {});
        for (const auto& connection : std::exchange(connections_, {})) {
            for (auto& sent : connection->close()) abandoned.push_back(std::move(sent));
        }
        for (const auto& query : abandoned) fail(*query, outage::closed, "the pool was closed");
    }

    /// Sends nothing and opens no connection until resume(). Queries in flight stay in flight.
    /// Waiting queries wait at least until `waiting_by`.
    void suspend(deadline waiting_by) {
        suspended_until_ = waiting_by;
        for (const auto& query : waiting_) wait_longer(*query);
    }

    void resume() {
        if (!std::exchange(suspended_until_, std::nullopt)) return;
        backoff_.reset();
        send_waiting();
        open_now();
    }

    void close_idle() {
        for (const auto& connection : connections_) {
            if (connection->in_flight().empty())
                static_cast<void>(connection->close());  // It owes nothing.
        }
        std::erase_if(
            connections_, [](const auto& connection) { return connection->in_flight().empty(); });
    }

    [[nodiscard]] bool owes_nothing() const { return sent_count() == 0; }
    /// Notified of each answer and each lost connection while suspended.
    [[nodiscard]] async::condition& settled() noexcept { return settled_; }

    /// Accepts one query. Completes its caller later, never inside this call.
    void submit(const std::shared_ptr<pending_query>& query) {
        if (closed_) return fail(*query, outage::closed, "the pool is closed");
        const auto room =
            options_.in_flight_max + (query->what.is_essential() ? options_.in_flight_reserve : 0);
        if (waiting_.size() + sent_count() >= room) {
            return fail(*query, outage::overloaded, "too many queries in flight");
        }
        if (query->by.passed())
            return fail(*query, outage::no_connection, "the deadline had passed");
        if (const auto best = least_busy()) {
            send(*best, query);
        } else {
            wait_longer(*query);
            waiting_.push_back(query);
        }
        watch_until(query->by.when());
    }

    void cancel(const std::shared_ptr<pending_query>& query) {
        if (!query->caller) return;  // Already completed.
        std::erase(waiting_, query);
        const error_code aborted = asio::error::operation_aborted;
        complete(
            loop_, *query, std::make_exception_ptr(boost::system::system_error{aborted}), rows{});
    }

    [[nodiscard]] const asio::any_io_executor& loop() const noexcept { return loop_; }
    [[nodiscard]] pool_state state() const {
        return {
            .connections = responsive_count(),
            .in_flight = sent_count(),
            .waiting = waiting_.size(),
            .last_error = last_error_,
            .lacks_library = lacks_library_};
    }

    [[nodiscard]] const metrics_by_query& metrics() const noexcept { return metrics_; }

private:
    [[nodiscard]] std::size_t sent_count() const {
        std::size_t sum = 0;
        for (const auto& connection : connections_) sum += connection->in_flight().size();
        return sum;
    }

    /// Whether a connection takes queries and is responsive: it owes no answer, or sent something
    /// within a second.
    [[nodiscard]] static bool is_responsive(const connection& connection) {
        return !connection.is_retired() &&
               deadline::clock::now() - connection.silent_since() < silence_tolerated;
    }

    [[nodiscard]] std::size_t responsive_count() const {
        const auto heard = std::ranges::count_if(
            connections_, [](const auto& connection) { return is_responsive(*connection); });
        return static_cast<std::size_t>(heard);
    }

    /// The least busy responsive connection; null without one.
    [[nodiscard]] std::shared_ptr<connection> least_busy() const {
        if (suspended_until_) return nullptr;
        const auto slow_before = deadline::clock::now() - slow_after;
        const auto burden = [slow_before](const std::shared_ptr<connection>& connection) {
            return std::tuple{
                connection->is_retired(),
                connection->silent_since() < slow_before,
                connection->in_flight().size()};
        };
        const auto best = std::ranges::min_element(
            connections_,
            [&burden](const auto& a, const auto& b) { return burden(a) < burden(b); });
        // The best connection is unresponsive only if all are.
        return best == connections_.end() || !is_responsive(**best) ? nullptr : *best;
    }

    void send(connection& through, const std::shared_ptr<pending_query>& query) {
        through.send(query);
        watch_until(std::min(through.broken_at(), through.silent_since() + silence_tolerated));
    }

    void send_waiting() {
        while (!waiting_.empty()) {
            const auto best = least_busy();
            if (!best) return;
            const auto query = std::move(waiting_.front());
            waiting_.pop_front();
            send(*best, query);
        }
    }

    void wait_longer(pending_query& query) const {
        if (suspended_until_ && query.by.when() < suspended_until_->when())
            query.by = *suspended_until_;
    }

    [[nodiscard]] bool wants_another() const {
        // At twice the configured number, the server is slow and more connections would not help.
        const bool has_room = connections_.size() < 2 * options_.connections;
        return !closed_ && !suspended_until_ &&
               (is_read_only_ || (has_room && responsive_count() < options_.connections));
    }

    [[nodiscard]] bool is_attempting() const {
        return std::ranges::find(attempting_, true) != attempting_.end();
    }

    void open_after(std::chrono::milliseconds wait) {
        if (closed_ || retry_pending_) return;
        retry_pending_ = true;
        retry_timer_.expires_after(wait);
        retry_timer_.async_wait([self = shared_from_this()](error_code problem) {
            self->retry_pending_ = false;
            if (!problem) self->open_now();
        });
    }

    void open_now() {
        if (!wants_another()) return;
        if (is_attempting() && deadline::clock::now() < next_attempt_at_) return;
        const auto free = std::ranges::find(attempting_, false);
        if (free == attempting_.end()) return;
        *free = true;
        const auto which = static_cast<std::size_t>(free - attempting_.begin());
        connectors_[which]->open(
            deadline::after(options_.connect_time_max),
            [weak = weak_from_this(), which](result<connection_ptr> outcome) {
                const auto self = weak.lock();
                if (self && !self->closed_) self->on_opened(which, std::move(outcome));
            });
        next_attempt_at_ = deadline::clock::now() + next_attempt_after;
        attempt_timer_.expires_at(next_attempt_at_);
        attempt_timer_.async_wait([self = shared_from_this()](error_code problem) {
            if (!problem && self->is_attempting()) self->open_now();
        });
    }

    void on_opened(std::size_t which, result<connection_ptr> outcome) {
        attempting_[which] = false;
        if (!outcome) return on_open_failed(outcome.error().detail());
        if (!wants_another()) return;  // Another attempt was quicker, or old connections answered.

        auto opened = std::make_shared<connection>(
            loop_,
            std::move(*outcome),
            options_.statement_timeout + options_.stall_time_max,
            events());
        if (!opened->start()) return on_open_failed("the connection could not be watched");
        if (connections_.empty()) logger_.info("database reachable");
        last_error_.clear();
        lacks_library_ = false;
        if (std::exchange(is_read_only_, false)) leave_read_only_server();
        connections_.push_back(std::move(opened));
        send_waiting();
        next_attempt_at_ = {};  // The server is reachable: does not wait for attempts that hang.
        open_now();
    }

    void on_open_failed(const std::string& why) {
        // Logs a repeated failure only once.
        if (why != last_error_) logger_.warning("database connection failed", {{"reason", why}});
        last_error_ = why;
        lacks_library_ = says_library_missing(why);
        open_after(backoff_.next());
    }

    /// Closes all connections, after the answers that they owe.
    void leave_read_only_server() {
        logger_.info("database connections moved to a writable server");
        for (const auto& connection : connections_) connection->retire();
        close_retired();
    }

    void close_retired() {
        std::erase_if(connections_, [](const auto& connection) {
            const bool is_over = connection->is_retired() && connection->in_flight().empty();
            if (is_over) static_cast<void>(connection->close());  // It owes nothing.
            return is_over;
        });
    }

    /// Closes connections that replaced others which are responsive again.
    void close_extra() {
        while (connections_.size() > options_.connections &&
               responsive_count() > options_.connections) {
            const auto idle = std::ranges::find_if(connections_, [](const auto& connection) {
                return connection->in_flight().empty();
            });
            if (idle == connections_.end()) return;
            const auto extra = *idle;
            connections_.erase(idle);
            static_cast<void>(extra->close());  // It owes nothing.
        }
    }

    void on_lost(
        const connection& lost, const std::deque<std::shared_ptr<pending_query>>& unanswered,
        const std::string& why) {
        const auto age = deadline::clock::now() - lost.opened_at();
        std::erase_if(
            connections_, [&lost](const auto& connection) { return connection.get() == &lost; });
        logger_.warning(
            "database connection lost", {{"reason", why}, {"statements", unanswered.size()}});
        last_error_ = why;
        for (const auto& query : unanswered) {
            fail(*query, outage::connection_lost, std::string{query->what.name()} + ": " + why);
        }
        if (suspended_until_) settled_.notify_all();
        if (age >= stable_after) backoff_.reset();
        open_after(age >= stable_after ? std::chrono::milliseconds{0} : backoff_.next());
    }

    [[nodiscard]] connection_events events() {
        return {
            .answered =
                [weak = weak_from_this()](
                    const connection& which, const std::shared_ptr<pending_query>& finished) {
                    if (const auto self = weak.lock()) self->on_answered(which, *finished);
                },
            .lost =
                [weak = weak_from_this()](
                    const connection& which,
                    const std::deque<std::shared_ptr<pending_query>>& unanswered,
                    const std::string& why) {
                    if (const auto self = weak.lock()) self->on_lost(which, unanswered, why);
                }};
    }

    void on_answered(const connection& which, pending_query& query) {
        if (suspended_until_) settled_.notify_all();
        if (selects_writable_ && !which.is_retired() && !is_read_only_ && query.failure &&
            outage_of(query.failure->sqlstate) == outage::read_only) {
            is_read_only_ = true;
            open_after(backoff_.next());
        }
        // The connection is responsive again. Posted, because it is still reading its results.
        const bool has_extra = which.is_retired() || connections_.size() > options_.connections;
        if (!waiting_.empty() || has_extra) {
            asio::post(loop_, [weak = weak_from_this()] {
                const auto self = weak.lock();
                if (!self || self->closed_) return;
                self->send_waiting();
                self->close_retired();
                self->close_extra();
            });
        }
        if (!query.caller) return;  // The caller left earlier.
        if (query.failure) {
            const auto code = errc_of(query.failure->sqlstate);
            if (code == errc::internal || code == errc::storage_failed) {
                ++metrics_[query.what.name()].faults;
            }
            finish(query, failure_of(query.what.name(), *query.failure), rows{});
        } else {
            finish(query, nullptr, rows{query.what.name(), query.answer.release()});
        }
    }

    void fail(pending_query& query, outage reason, const std::string& why) {
        finish(query, std::make_exception_ptr(unavailable{reason, why}), rows{});
    }

    void finish(pending_query& query, std::exception_ptr problem, rows answer) {
        if (!query.caller) return;
        auto match = metrics_.find(std::string_view{query.what.name()});
        if (match == metrics_.end()) match = metrics_.try_emplace(query.what.name()).first;
        query_metrics& metrics = match->second;
        ++metrics.count;
        if (problem) ++metrics.errors;
        metrics.seconds +=
            std::chrono::duration<double>(deadline::clock::now() - query.started).count();
        complete(loop_, query, std::move(problem), std::move(answer));
    }

    void watch_until(moment when) {
        if (when >= watching_until_) return;
        watching_until_ = when;
        watch_timer_.expires_at(when);
        watch_timer_.async_wait([self = shared_from_this()](error_code problem) {
            if (!problem && !self->closed_) self->on_watch();
        });
    }

    void on_watch() {
        const auto now = deadline::clock::now();
        watching_until_ = moment::max();
        end_overdue(now);
        for (const auto& connection : connections_) connection->check_silence(now);
        if (wants_another()) open_after({});

        auto next = moment::max();
        for (const auto& query : waiting_) next = std::min(next, query->by.when());
        for (const auto& connection : connections_) {
            next = std::min(next, connection->broken_at());
            if (is_responsive(*connection))
                next = std::min(next, connection->silent_since() + silence_tolerated);
            for (const auto& sent : connection->in_flight()) {
                if (sent->caller) next = std::min(next, sent->by.when());
            }
        }
        watch_until(next);
    }

    void end_overdue(moment now) {
        const auto overdue = [now](const std::shared_ptr<pending_query>& query) {
            return query->by.when() <= now;
        };
        for (const auto& query : waiting_) {
            if (!overdue(query)) continue;
            const auto& why = last_error_.empty() ? std::string{"still connecting"} : last_error_;
            fail(*query, outage::no_connection, std::string{query->what.name()} + ": " + why);
        }
        std::erase_if(waiting_, overdue);
        for (const auto& connected : connections_) {
            for (const auto& query : connected->in_flight()) {
                if (!overdue(query)) continue;
                fail(
                    *query,
                    outage::deadline_passed,
                    std::string{query->what.name()} + ": no answer");
            }
        }
    }

    asio::any_io_executor loop_;
    pool_options options_;
    log::logger logger_;
    bool selects_writable_;
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
    /// A statement has failed because the connected server is read-only. The connections serve
    /// reads until a session at a writable server is open.
    bool is_read_only_ = false;
    bool retry_pending_ = false;  ///< An attempt will begin when retry_timer_ ends.
    async::condition settled_;
    std::optional<deadline> suspended_until_;  ///< Waiting queries wait at least until then.
    bool closed_ = false;
};

namespace {

/// Hands a suspended coroutine over to the pool. A named type, not a lambda: g++ 12 may destroy the
/// captures of a lambda in the same expression as co_await twice.
struct start_query {
    asio::any_io_executor loop;
    std::shared_ptr<pool_core> core;

    template <class Handler>
    void operator()(Handler&& handler, const std::shared_ptr<pending_query>& query) const {
        // Swapped, not assigned: in Boost 1.81 the move assignment of this type calls itself
        // forever.
        waiter caller{std::forward<Handler>(handler)};
        query->caller.swap(caller);
        auto slot = asio::get_associated_cancellation_slot(query->caller);
        if (slot.is_connected()) {
            // Posted, because ending the query removes this handler from the slot, which must not
            // happen while it runs.
            slot.assign([where = loop, weak = std::weak_ptr{core}, query](asio::cancellation_type) {
                asio::post(where, [weak, query] {
                    if (const auto self = weak.lock()) self->cancel(query);
                });
            });
        }
        core->submit(query);
    }
};

}  // namespace

pool::pool(asio::any_io_executor loop, pool_options options, log::logger logger)
    : core_{std::make_shared<pool_core>(std::move(loop), std::move(options), std::move(logger))} {}

pool::~pool() {
    core_->close();
}

void pool::start() {
    core_->start();
}

void pool::close() {
    core_->close();
}

awaitable<bool> pool::suspend(suspension limits) {
    core_->suspend(limits.waiting_by);
    while (!core_->owes_nothing() && !limits.settled_by.passed()) {
        co_await core_->settled().wait(limits.settled_by);
    }
    core_->close_idle();
    co_return core_->owes_nothing();
}

void pool::resume() {
    core_->resume();
}

awaitable<rows> pool::run_with(deadline by, query what, std::vector<parameter> parameters) {
    for (const auto& value : parameters) {
        if (!value.sendable()) std::rethrow_exception(unsendable(what));
    }
    const auto pending = std::make_shared<pending_query>(
        pending_query{.what = what, .parameters = std::move(parameters), .by = by});
    const start_query start{core_->loop(), core_};
    co_return co_await asio::
        async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, rows)>(
            start, asio::use_awaitable, pending);
}

awaitable<void> pool::checkpoint(deadline by) {
    static constexpr query checkpoint_query{"db.checkpoint", "CHECKPOINT"};
    co_await run(by, checkpoint_query);
}

pool_state pool::state() const {
    return core_->state();
}

const metrics_by_query& pool::metrics() const noexcept {
    return core_->metrics();
}

}  // namespace reelsd::db
