#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/errors.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace reelsd::db {

/// Limits on how questions share statements.
struct batching {
    /// Upper bound on concurrent statements. More questions wait for an answer and share the next.
    std::size_t statements_max = 2;
    /// Upper bound on questions in one statement.
    std::size_t questions_max = 256;
    /// A question that has waited this long is sent even beyond `statements_max`, so that a blocked
    /// statement does not delay those behind it.
    std::chrono::milliseconds held_max{50};
};

/// Batches concurrent questions of one kind into one statement. They share its fixed costs (message
/// parsing, planning, snapshot, commit). If no statement is in progress, a question is sent at the
/// end of the loop's turn, so that a single question is not slower.
///
/// The database reads or writes each answer after its question arrived, never before. A failed
/// statement fails all its questions. If the server refuses the statement and changed nothing, each
/// question is retried alone, because one bad question must not fail the others. Questions that the
/// statement left unanswered are retried too; those that `are_alike` share a statement.
///
/// Threads: the loop's only. Lifetime: the tasks, `ask` and what it uses outlive every coroutine
/// that asks. After the tasks are asked to stop, every question fails with outage::closed.
template <class Question, class Answer>
class shared_statement {
public:
    /// Runs one statement within `by` and returns the answers in the order of the questions. An
    /// answer may be missing if waiting for it would delay the others, but not if all are alike.
    using ask = std::function<boost::asio::awaitable<std::vector<std::optional<Answer>>>(
        const std::vector<Question>& questions, deadline by)>;

    /// Returns whether two questions depend on the same row. Empty: no two do.
    using batch_key = std::function<bool(const Question& left, const Question& right)>;

    shared_statement(
        boost::asio::any_io_executor loop, async::task_group& tasks, batching limits, ask all,
        batch_key are_alike = {})
        : core_{std::make_shared<core>(
              std::move(loop), tasks, limits, std::move(all), std::move(are_alike))} {}

    /// The answer to a question, or the exception in its place.
    struct reply {
        std::exception_ptr problem;
        Answer given;

        /// Rethrows the exception of `ask`.
        [[nodiscard]] Answer value() && {
            if (problem) std::rethrow_exception(problem);
            return std::move(given);
        }
    };

    /// Asks one question. Await the result; this needs no coroutine of its own. Ignores
    /// cancellation: only `by` ends it.
    [[nodiscard]] auto answer(Question question, deadline by) const {
        const enqueue start{core_};
        auto entry = std::make_shared<waiting>(waiting{.question = std::move(question), .by = by});
        return boost::asio::async_initiate<const boost::asio::deferred_t&, void(reply)>(
            start, boost::asio::deferred, std::move(entry));
    }

private:
    using waiter = boost::asio::any_completion_handler<void(reply)>;

    struct waiting {
        Question question;
        deadline by;
        deadline::clock::time_point since = deadline::clock::now();
        waiter caller = {};
    };
    using batch = std::vector<std::shared_ptr<waiting>>;

    struct outcome {
        std::exception_ptr problem;
        std::vector<std::optional<Answer>> answers;
    };

    /// A statement's deadline is the earliest of its questions'. A question with less time left
    /// than this, because its request has waited for the database before, gets a statement of its
    /// own.
    static constexpr std::chrono::milliseconds hurried_below{500};

    struct core : std::enable_shared_from_this<core> {
        core(
            boost::asio::any_io_executor where, async::task_group& owner, batching batch_limits,
            ask all, batch_key alike)
            : loop{std::move(where)},
              tasks{owner},
              limits{batch_limits},
              ask_all{std::move(all)},
              are_alike{std::move(alike)},
              max_delay_timer{loop} {
            invariant(limits.statements_max > 0 && limits.questions_max > 0);
        }

        void add(std::shared_ptr<waiting> entry) {
            queue.push_back(std::move(entry));
            if (under_way < limits.statements_max) {
                send_soon();
            } else {
                watch_first();
            }
        }

        /// Sends the whole queue when its first question has waited for too long.
        void watch_first() {
            if (queue.empty() || std::exchange(is_watching, true)) return;
            max_delay_timer.expires_at(queue.front()->since + limits.held_max);
            max_delay_timer.async_wait([self = this->shared_from_this()](auto problem) {
                self->is_watching = false;
                if (problem || self->queue.empty()) return;
                // The question that started this timer may have been sent in time.
                const auto waited = deadline::clock::now() - self->queue.front()->since;
                if (waited < self->limits.held_max) return self->watch_first();
                while (!self->queue.empty()) self->send();
            });
        }

        /// Sends at the end of this turn of the loop, together with other questions of the turn.
        void send_soon() {
            if (std::exchange(is_sending, true)) return;
            boost::asio::post(loop, [self = this->shared_from_this()] {
                self->is_sending = false;
                self->send_what_may_go();
            });
        }

        void send_what_may_go() {
            while (!queue.empty() && under_way < limits.statements_max) send();
            watch_first();
        }

        void send() {
            const auto count = std::min(queue.size(), limits.questions_max);
            const auto end = queue.begin() + static_cast<std::ptrdiff_t>(count);
            batch together{std::make_move_iterator(queue.begin()), std::make_move_iterator(end)};
            queue.erase(queue.begin(), end);
            if (tasks.is_stopping()) return refuse(together);
            const auto soon = deadline::clock::now() + hurried_below;
            const auto unhurried =
                std::stable_partition(together.begin(), together.end(), [soon](const auto& entry) {
                    return entry->by.when() < soon;
                });
            for (auto next = together.begin(); next != unhurried; ++next) send_isolated({*next});
            together.erase(together.begin(), unhurried);
            if (together.empty()) return;
            ++under_way;
            tasks.spawn("share a statement", run(this->shared_from_this(), std::move(together)));
        }

        /// Does not count toward `statements_max`: other statements must not wait for this one.
        void send_isolated(batch together) {
            if (tasks.is_stopping()) return refuse(together);
            tasks.spawn(
                "isolated statement", run_isolated(this->shared_from_this(), std::move(together)));
        }

        static void refuse(const batch& together) {
            outcome closed;
            closed.problem =
                std::make_exception_ptr(unavailable{outage::closed, "the daemon is stopping"});
            for (const auto& entry : together) complete(*entry, closed, 0);
        }

        boost::asio::any_io_executor loop;
        async::task_group& tasks;
        batching limits;
        ask ask_all;
        batch_key are_alike;
        boost::asio::steady_timer max_delay_timer;
        bool is_watching = false;
        bool is_sending = false;
        std::size_t under_way = 0;
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

    static boost::asio::awaitable<outcome> try_all(
        const core& owner, const std::vector<Question>& questions, deadline by) {
        outcome ended;
        try {
            ended.answers = co_await owner.ask_all(questions, by);
            invariant(ended.answers.size() == questions.size());
        } catch (...) {
            ended.problem = std::current_exception();
        }
        co_return ended;
    }

    /// True when the statement changed nothing and a single question may be the cause. A full disk
    /// affects all questions.
    [[nodiscard]] static bool may_be_caused_by_one_query(const std::exception_ptr& problem) {
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

    struct asking {
        std::vector<Question> questions;
        deadline by;
    };
    [[nodiscard]] static asking asking_for(const batch& together) {
        asking all{.questions = {}, .by = together.front()->by};
        all.questions.reserve(together.size());
        for (const auto& entry : together) {
            all.questions.push_back(entry->question);
            if (entry->by.when() < all.by.when()) all.by = entry->by;
        }
        return all;
    }

    static boost::asio::awaitable<void> run(std::shared_ptr<core> owner, batch together) {
        const auto all = asking_for(together);
        auto ended = co_await try_all(*owner, all.questions, all.by);
        --owner->under_way;
        owner->send_what_may_go();  // The database continues while these answers are written.
        const bool is_shared = together.size() > 1;
        const bool is_refused = is_shared && may_be_caused_by_one_query(ended.problem);
        batch left;
        for (std::size_t at = 0; at < together.size(); ++at) {
            if (is_refused) {
                retry(*owner, {std::move(together[at])});
            } else if (is_shared && !ended.problem && !ended.answers[at]) {
                left.push_back(std::move(together[at]));
            } else {
                complete(*together[at], ended, at);
            }
        }
        while (!left.empty()) {
            const auto first = left.front();
            const auto others =
                std::stable_partition(left.begin(), left.end(), [&](const auto& entry) {
                    return entry == first ||
                           (owner->are_alike && owner->are_alike(entry->question, first->question));
                });
            retry(*owner, batch{left.begin(), others});
            left.erase(left.begin(), others);
        }
    }

    /// Retries in a statement of its own. A question whose deadline has passed was held during a
    /// planned restart of the database, and gets the same time again.
    static void retry(core& owner, batch together) {
        for (const auto& entry : together) {
            if (entry->by.passed()) entry->by = deadline::after(entry->by.when() - entry->since);
        }
        owner.send_isolated(std::move(together));
    }

    static boost::asio::awaitable<void> run_isolated(std::shared_ptr<core> owner, batch together) {
        const auto all = asking_for(together);
        auto ended = co_await try_all(*owner, all.questions, all.by);
        for (std::size_t at = 0; at < together.size(); ++at) complete(*together[at], ended, at);
    }

    static void complete(waiting& entry, outcome& ended, std::size_t at) {
        waiter caller{std::move(entry.caller)};
        if (ended.problem) {
            std::move(caller)(reply{.problem = ended.problem, .given = {}});
        } else {
            invariant(ended.answers[at].has_value());
            std::move(caller)(reply{.problem = {}, .given = *std::move(ended.answers[at])});
        }
    }

    std::shared_ptr<core> core_;
};

}  // namespace reelsd::db
