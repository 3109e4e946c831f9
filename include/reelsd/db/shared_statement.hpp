#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace reelsd::db {

struct batching {
    /// Upper bound on concurrent statements. More requests wait for an answer and share the next.
    std::size_t statements_max = 2;
    /// Upper bound on requests in one statement.
    std::size_t batch_size_max = 256;
    /// A request that has waited this long is sent even beyond `statements_max`, so that a blocked
    /// statement does not delay those behind it.
    std::chrono::milliseconds max_delay{50};
};

/// Batches concurrent requests of one kind into one statement. They share its fixed costs (message
/// parsing, planning, snapshot, commit). If no statement is in progress, a request is sent at the
/// end of the loop's turn, so that a single request is not slower.
///
/// The database reads or writes each answer after its request arrived, never before. A failed
/// statement fails all its requests. If the server refuses the statement and changed nothing, each
/// request is retried alone, because one bad request must not fail the others. Requests that the
/// statement left unanswered are retried too; those with the same key share a statement.
///
/// Threads: only the loop's. Lifetime: the tasks, `execute` and what it uses outlive every
/// coroutine that awaits an answer. After the tasks are asked to stop, every request fails with
/// outage::closed.
template <class Request, class Answer>
class shared_statement {
public:
    /// Runs one statement within `by` and returns the answers in the order of the requests. An
    /// answer may be missing if waiting for it would delay the others, but not if all have the same
    /// key.
    using execute = std::function<awaitable<std::vector<std::optional<Answer>>>(
        const std::vector<Request>& requests, deadline by)>;

    /// Returns whether two requests depend on the same row. Empty: no two do.
    using same_key = std::function<bool(const Request& left, const Request& right)>;

    shared_statement(
        boost::asio::any_io_executor loop, async::task_group& tasks, batching limits,
        execute statement, same_key have_same_key = {})
        : core_{std::make_shared<core>(
              std::move(loop), tasks, limits, std::move(statement), std::move(have_same_key))} {}

    /// The answer to a request, or the exception in its place.
    struct reply {
        std::exception_ptr problem;
        Answer answer;

        /// Rethrows the exception of `execute`.
        [[nodiscard]] Answer value() && {
            if (problem) std::rethrow_exception(problem);
            return std::move(answer);
        }
    };

    /// Adds one request. Await the result; this needs no separate coroutine. Ignores
    /// cancellation: only `by` ends it.
    [[nodiscard]] auto answer(Request request, deadline by) const {
        const enqueue start{core_};
        auto entry = std::make_shared<waiting>(waiting{.request = std::move(request), .by = by});
        return boost::asio::async_initiate<const boost::asio::deferred_t&, void(reply)>(
            start, boost::asio::deferred, std::move(entry));
    }

private:
    using waiter = boost::asio::any_completion_handler<void(reply)>;

    struct waiting {
        Request request;
        deadline by;
        deadline::clock::time_point since = deadline::clock::now();
        waiter caller = {};
    };
    using batch = std::vector<std::shared_ptr<waiting>>;

    struct outcome {
        std::exception_ptr problem;
        std::vector<std::optional<Answer>> answers;
    };

    /// A statement's deadline is the earliest of its requests'. A request with less time left than
    /// this, because it has waited for the database before, gets a separate statement.
    static constexpr std::chrono::milliseconds urgent_below{500};

    /// `isolated` statements do not count toward `statements_max`, because other statements must
    /// not wait for them, and are not retried.
    enum class kind : std::uint8_t { shared, isolated };

    struct core : std::enable_shared_from_this<core> {
        core(
            boost::asio::any_io_executor executor, async::task_group& owner, batching batch_limits,
            execute function, same_key comparison)
            : loop{std::move(executor)},
              tasks{owner},
              limits{batch_limits},
              statement{std::move(function)},
              have_same_key{std::move(comparison)},
              max_delay_timer{loop} {
            invariant(limits.statements_max > 0 && limits.batch_size_max > 0);
        }

        void add(std::shared_ptr<waiting> entry) {
            queue.push_back(std::move(entry));
            if (in_progress < limits.statements_max) {
                send_soon();
            } else {
                watch_first();
            }
        }

        /// Sends the whole queue when its first request has waited for too long.
        void watch_first() {
            if (queue.empty() || std::exchange(is_watching, true)) return;
            max_delay_timer.expires_at(queue.front()->since + limits.max_delay);
            max_delay_timer.async_wait([self = this->shared_from_this()](auto problem) {
                self->is_watching = false;
                if (problem || self->queue.empty()) return;
                // The request that started this timer may have been sent in time.
                const auto waited = deadline::clock::now() - self->queue.front()->since;
                if (waited < self->limits.max_delay) return self->watch_first();
                while (!self->queue.empty()) self->send();
            });
        }

        /// Sends at the end of this turn of the loop, together with other requests of the turn.
        void send_soon() {
            if (std::exchange(is_sending, true)) return;
            boost::asio::post(loop, [self = this->shared_from_this()] {
                self->is_sending = false;
                self->send_within_limits();
            });
        }

        void send_within_limits() {
            while (!queue.empty() && in_progress < limits.statements_max) send();
            watch_first();
        }

        void send() {
            const auto count = std::min(queue.size(), limits.batch_size_max);
            const auto end = queue.begin() + static_cast<std::ptrdiff_t>(count);
            batch entries{std::make_move_iterator(queue.begin()), std::make_move_iterator(end)};
            queue.erase(queue.begin(), end);
            const auto soon = deadline::clock::now() + urgent_below;
            const auto rest =
                std::stable_partition(entries.begin(), entries.end(), [soon](const auto& entry) {
                    return entry->by.when() < soon;
                });
            for (auto urgent = entries.begin(); urgent != rest; ++urgent) {
                spawn({*urgent}, kind::isolated);
            }
            entries.erase(entries.begin(), rest);
            if (!entries.empty()) spawn(std::move(entries), kind::shared);
        }

        void spawn(batch entries, kind how) {
            if (tasks.is_stopping()) return refuse(entries);
            if (how == kind::shared) ++in_progress;
            tasks.spawn("shared statement", run(this->shared_from_this(), std::move(entries), how));
        }

        static void refuse(const batch& entries) {
            outcome closed;
            closed.problem =
                std::make_exception_ptr(unavailable{outage::closed, "the daemon is stopping"});
            for (const auto& entry : entries) complete(*entry, closed, 0);
        }

        boost::asio::any_io_executor loop;
        async::task_group& tasks;
        batching limits;
        execute statement;
        same_key have_same_key;
        boost::asio::steady_timer max_delay_timer;
        bool is_watching = false;
        bool is_sending = false;
        std::size_t in_progress = 0;
        batch queue;
    };

    /// A named type, not a lambda: g++ 12 may destroy the captures of a lambda in the same
    /// expression as co_await twice.
    struct enqueue {
        std::shared_ptr<core> target;

        template <class Handler>
        void operator()(Handler&& handler, const std::shared_ptr<waiting>& entry) const {
            // Swapped, not assigned: in Boost 1.81 the move assignment of this type calls itself
            // forever.
            waiter caller{std::forward<Handler>(handler)};
            entry->caller.swap(caller);
            target->add(entry);
        }
    };

    static awaitable<outcome> try_all(const core& owner, const batch& entries) {
        std::vector<Request> requests;
        requests.reserve(entries.size());
        auto by = entries.front()->by;
        for (const auto& entry : entries) {
            requests.push_back(entry->request);
            if (entry->by.when() < by.when()) by = entry->by;
        }
        outcome ended;
        try {
            ended.answers = co_await owner.statement(requests, by);
            invariant(ended.answers.size() == requests.size());
        } catch (...) {
            ended.problem = std::current_exception();
        }
        co_return ended;
    }

    /// True when the statement changed nothing and a single request may be the cause. A full disk
    /// affects all requests.
    [[nodiscard]] static bool may_be_caused_by_one_request(const std::exception_ptr& problem) {
        if (!problem) return false;
        try {
            std::rethrow_exception(problem);
        } catch (const refused& why) {
            return why.code() != errc::storage_failed;
        } catch (const unavailable& why) {
            return why.reason() == outage::contention;
        } catch (...) {
            return false;
        }
    }

    static awaitable<void> run(std::shared_ptr<core> owner, batch entries, kind how) {
        auto ended = co_await try_all(*owner, entries);
        if (how == kind::shared) {
            --owner->in_progress;
            // The database continues while these answers are written.
            owner->send_within_limits();
        }
        const bool may_retry = how == kind::shared && entries.size() > 1;
        const bool is_refused = may_retry && may_be_caused_by_one_request(ended.problem);
        batch unanswered;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (is_refused) {
                retry(*owner, {std::move(entries[i])});
            } else if (may_retry && !ended.problem && !ended.answers[i]) {
                unanswered.push_back(std::move(entries[i]));
            } else {
                complete(*entries[i], ended, i);
            }
        }
        while (!unanswered.empty()) {
            const auto first = unanswered.front();
            const auto others =
                std::stable_partition(unanswered.begin(), unanswered.end(), [&](const auto& entry) {
                    return entry == first || (owner->have_same_key &&
                                              owner->have_same_key(entry->request, first->request));
                });
            retry(*owner, batch{unanswered.begin(), others});
            unanswered.erase(unanswered.begin(), others);
        }
    }

    /// Retries in a separate statement. A request whose deadline has passed was held during a
    /// planned restart of the database, and gets the same time again.
    static void retry(core& owner, batch entries) {
        for (const auto& entry : entries) {
            if (entry->by.passed()) entry->by = deadline::after(entry->by.when() - entry->since);
        }
        owner.spawn(std::move(entries), kind::isolated);
    }

    static void complete(waiting& entry, outcome& ended, std::size_t index) {
        waiter caller{std::move(entry.caller)};
        if (ended.problem) {
            std::move(caller)(reply{.problem = ended.problem, .answer = {}});
        } else {
            invariant(ended.answers[index].has_value());
            std::move(caller)(reply{.problem = {}, .answer = *std::move(ended.answers[index])});
        }
    }

    std::shared_ptr<core> core_;
};

}  // namespace reelsd::db
