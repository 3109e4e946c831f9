#include "pool_core.hpp"

#include "session.hpp"
#include <reelsd/base/invariant.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

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
constexpr auto unheard_max = std::chrono::seconds{1};

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

}  // namespace

pool_core::pool_core(asio::any_io_executor loop, pool_options options, log::logger logger)
    : loop_{std::move(loop)},
      options_{std::move(options)},
      logger_{std::move(logger)},
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

void pool_core::start() {
    open_after({});
}

void pool_core::close() {
    if (std::exchange(closed_, true)) return;
    retry_timer_.cancel();
    attempt_timer_.cancel();
    watch_timer_.cancel();
    for (const auto& one : connectors_) one->stop();
    auto abandoned = std::exchange(waiting_, {});
    for (const auto& one : std::exchange(connections_, {})) {
        for (auto& sent : one->close()) abandoned.push_back(std::move(sent));
    }
    for (const auto& one : abandoned) fail(*one, outage::closed, "the pool was closed");
}

void pool_core::suspend(deadline waiting_by) {
    suspended_until_ = waiting_by;
    for (const auto& one : waiting_) wait_longer(*one);
}

void pool_core::wait_longer(pending_query& one) const {
    if (suspended_until_ && one.by.when() < suspended_until_->when()) one.by = *suspended_until_;
}

void pool_core::close_idle() {
    for (const auto& one : connections_) {
        if (one->in_flight().empty()) static_cast<void>(one->close());  // It owes nothing.
    }
    std::erase_if(connections_, [](const auto& one) { return one->in_flight().empty(); });
}

void pool_core::resume() {
    if (!std::exchange(suspended_until_, std::nullopt)) return;
    backoff_.reset();
    send_waiting();
    open_now();
}

void pool_core::submit(const std::shared_ptr<pending_query>& one) {
    if (closed_) return fail(*one, outage::closed, "the pool is closed");
    const auto room =
        options_.in_flight_max + (one->what.is_essential() ? options_.in_flight_reserve : 0);
    if (waiting_.size() + sent_count() >= room) {
        return fail(*one, outage::overloaded, "too many queries in flight");
    }
    if (one->by.passed()) return fail(*one, outage::no_connection, "the deadline had passed");
    if (const auto free = least_busy()) {
        send(*free, one);
    } else {
        wait_longer(*one);
        waiting_.push_back(one);
    }
    watch_until(one->by.when());
}

void pool_core::send(connection& through, const std::shared_ptr<pending_query>& one) {
    through.send(one);
    watch_until(std::min(through.silent_at(), through.quiet_since() + unheard_max));
}

void pool_core::cancel(const std::shared_ptr<pending_query>& one) {
    if (!one->caller) return;  // Already completed.
    std::erase(waiting_, one);
    const error_code aborted = asio::error::operation_aborted;
    complete(loop_, *one, std::make_exception_ptr(boost::system::system_error{aborted}), rows{});
}

std::size_t pool_core::sent_count() const {
    std::size_t sum = 0;
    for (const auto& one : connections_) sum += one->in_flight().size();
    return sum;
}

bool pool_core::is_heard(const connection& one) {
    return deadline::clock::now() - one.quiet_since() < unheard_max;
}

std::size_t pool_core::heard_count() const {
    const auto heard = std::count_if(
        connections_.begin(), connections_.end(), [](const auto& one) { return is_heard(*one); });
    return static_cast<std::size_t>(heard);
}

std::shared_ptr<connection> pool_core::least_busy() const {
    if (suspended_until_) return nullptr;
    const auto slow_before = deadline::clock::now() - slow_after;
    const auto burden = [slow_before](const std::shared_ptr<connection>& one) {
        return std::tuple{one->quiet_since() < slow_before, one->in_flight().size()};
    };
    const auto best = std::min_element(
        connections_.begin(), connections_.end(), [&burden](const auto& a, const auto& b) {
            return burden(a) < burden(b);
        });
    // The best connection is unresponsive only if all are.
    return best == connections_.end() || !is_heard(**best) ? nullptr : *best;
}

void pool_core::send_waiting() {
    while (!waiting_.empty()) {
        const auto free = least_busy();
        if (!free) return;
        const auto one = std::move(waiting_.front());
        waiting_.pop_front();
        send(*free, one);
    }
}

bool pool_core::wants_another() const {
    // At twice the configured number, the server is slow and more connections would not help.
    const bool has_room = connections_.size() < 2 * options_.connections;
    return !closed_ && !suspended_until_ && has_room && heard_count() < options_.connections;
}

void pool_core::open_after(std::chrono::milliseconds wait) {
    if (closed_ || retry_pending_) return;
    retry_pending_ = true;
    retry_timer_.expires_after(wait);
    retry_timer_.async_wait([self = shared_from_this()](error_code problem) {
        self->retry_pending_ = false;
        if (!problem) self->open_now();
    });
}

bool pool_core::is_attempting() const {
    return std::find(attempting_.begin(), attempting_.end(), true) != attempting_.end();
}

void pool_core::open_now() {
    if (!wants_another()) return;
    if (is_attempting() && deadline::clock::now() < next_attempt_at_) return;
    const auto free = std::find(attempting_.begin(), attempting_.end(), false);
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

void pool_core::on_opened(std::size_t which, result<connection_ptr> outcome) {
    attempting_[which] = false;
    if (!outcome) return on_open_failed(outcome.error().detail());
    if (!wants_another()) return;  // Another attempt was quicker, or old connections answered.

    auto opened = std::make_shared<connection>(
        loop_, std::move(*outcome), options_.statement_timeout + options_.stall_time_max, events());
    if (!opened->start()) return on_open_failed("the connection could not be watched");
    if (connections_.empty()) logger_.info("database reachable");
    last_error_.clear();
    lacks_library_ = false;
    connections_.push_back(std::move(opened));
    send_waiting();
    next_attempt_at_ = {};  // The server is reachable: does not wait for attempts that hang.
    open_now();
}

void pool_core::on_open_failed(const std::string& why) {
    // Logs a repeated failure only once.
    if (why != last_error_) logger_.warning("database connection failed", {{"reason", why}});
    last_error_ = why;
    lacks_library_ = says_library_missing(why);
    open_after(backoff_.next());
}

void pool_core::close_extra() {
    while (connections_.size() > options_.connections && heard_count() > options_.connections) {
        const auto idle =
            std::find_if(connections_.begin(), connections_.end(), [](const auto& one) {
                return one->in_flight().empty();
            });
        if (idle == connections_.end()) return;
        const auto extra = *idle;
        connections_.erase(idle);
        static_cast<void>(extra->close());  // It owes nothing.
    }
}

connection_events pool_core::events() {
    return {
        .answered =
            [weak = weak_from_this()](const std::shared_ptr<pending_query>& answered) {
                if (const auto self = weak.lock()) self->on_answered(*answered);
            },
        .lost =
            [weak = weak_from_this()](
                const connection& which,
                const std::deque<std::shared_ptr<pending_query>>& unanswered,
                const std::string& why) {
                if (const auto self = weak.lock()) self->on_lost(which, unanswered, why);
            }};
}

void pool_core::on_lost(
    const connection& lost, const std::deque<std::shared_ptr<pending_query>>& unanswered,
    const std::string& why) {
    const auto age = deadline::clock::now() - lost.opened_at();
    std::erase_if(connections_, [&lost](const auto& one) { return one.get() == &lost; });
    logger_.warning(
        "database connection lost", {{"reason", why}, {"statements", unanswered.size()}});
    last_error_ = why;
    for (const auto& one : unanswered) {
        fail(*one, outage::connection_lost, std::string{one->what.name()} + ": " + why);
    }
    if (suspended_until_) settled_.notify_all();
    if (age >= stable_after) backoff_.reset();
    open_after(age >= stable_after ? std::chrono::milliseconds{0} : backoff_.next());
}

void pool_core::on_answered(pending_query& one) {
    if (suspended_until_) settled_.notify_all();
    // The connection is responsive again. Posted, because it is still reading its results.
    if (!waiting_.empty() || connections_.size() > options_.connections) {
        asio::post(loop_, [weak = weak_from_this()] {
            const auto self = weak.lock();
            if (!self || self->closed_) return;
            self->send_waiting();
            self->close_extra();
        });
    }
    if (!one.caller) return;  // The caller left earlier.
    if (one.failure) {
        const auto code = errc_of(one.failure->sqlstate);
        if (code == errc::internal || code == errc::storage_failed) {
            ++metrics_[one.what.name()].faults;
        }
        finish(one, failure_of(one.what.name(), *one.failure), rows{});
    } else {
        finish(one, nullptr, rows{one.what.name(), one.answer.release()});
    }
}

void pool_core::fail(pending_query& one, outage reason, const std::string& why) {
    finish(one, std::make_exception_ptr(unavailable{reason, why}), rows{});
}

void pool_core::finish(pending_query& one, std::exception_ptr problem, rows answer) {
    if (!one.caller) return;
    auto match = metrics_.find(std::string_view{one.what.name()});
    if (match == metrics_.end()) match = metrics_.try_emplace(one.what.name()).first;
    query_metrics& spent = match->second;
    ++spent.count;
    if (problem) ++spent.errors;
    spent.seconds += std::chrono::duration<double>(deadline::clock::now() - one.started).count();
    complete(loop_, one, std::move(problem), std::move(answer));
}

void pool_core::watch_until(moment when) {
    if (when >= watching_until_) return;
    watching_until_ = when;
    watch_timer_.expires_at(when);
    watch_timer_.async_wait([self = shared_from_this()](error_code problem) {
        if (!problem && !self->closed_) self->on_watch();
    });
}

void pool_core::on_watch() {
    const auto now = deadline::clock::now();
    watching_until_ = moment::max();
    end_overdue(now);
    for (const auto& one : connections_) one->check_silence(now);
    if (wants_another()) open_after({});

    auto next = moment::max();
    for (const auto& one : waiting_) next = std::min(next, one->by.when());
    for (const auto& one : connections_) {
        next = std::min(next, one->silent_at());
        if (is_heard(*one)) next = std::min(next, one->quiet_since() + unheard_max);
        for (const auto& sent : one->in_flight()) {
            if (sent->caller) next = std::min(next, sent->by.when());
        }
    }
    watch_until(next);
}

void pool_core::end_overdue(moment now) {
    const auto overdue = [now](const std::shared_ptr<pending_query>& one) {
        return one->by.when() <= now;
    };
    for (const auto& one : waiting_) {
        if (!overdue(one)) continue;
        const auto& why = last_error_.empty() ? std::string{"still connecting"} : last_error_;
        fail(*one, outage::no_connection, std::string{one->what.name()} + ": " + why);
    }
    std::erase_if(waiting_, overdue);
    for (const auto& connected : connections_) {
        for (const auto& one : connected->in_flight()) {
            if (!overdue(one)) continue;
            fail(*one, outage::deadline_passed, std::string{one->what.name()} + ": no answer");
        }
    }
}

pool_state pool_core::state() const {
    return {
        .connections = heard_count(),
        .in_flight = sent_count(),
        .waiting = waiting_.size(),
        .last_error = last_error_,
        .lacks_library = lacks_library_};
}

}  // namespace reelsd::db
