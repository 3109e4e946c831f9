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

/// How questions share statements.
struct batching {
    /// Under way at once. More questions wait until one of them is answered, and share the next.
    std::size_t statements_max = 2;
    /// In one statement.
    std::size_t questions_max = 256;
    /// A question that has waited for this long is sent whatever else is under way: a statement
    /// that stands still must not hold up those behind it.
    std::chrono::milliseconds held_max{50};
};

/// Questions of one kind that wait at the same moment, put into one statement: what a statement
/// costs beside its rows (parsing of messages, planning, snapshot, commit) is paid once for all of
/// them. With nothing under way a question is sent at the end of the loop's turn, so that it is not
/// slower alone.
///
/// What is answered is read or done by the database after the question came, never before. A
/// statement that fails fails all its questions. When the server refuses it and has changed
/// nothing, each question is asked again alone, for what is wrong with one is not the others'
/// fault. Those that are left without an answer are asked again as well, such that `are_alike`
/// together.
///
/// Threads: the loop's only. Lifetime: the tasks, `ask` and what it uses outlive every coroutine
/// that asks. Once the tasks are told to stop, nobody may ask any more.
template <class Question, class Answer>
class shared_statement {
public:
    /// Answers of all questions, in their order, by one statement within `by`. Nothing where others
    /// would have had to wait; never when all of them are alike.
    using ask = std::function<boost::asio::awaitable<std::vector<std::optional<Answer>>>(
        const std::vector<Question>& questions, deadline by)>;

    /// Whether two questions stand or fall with the same row. Empty: no two do.
    using batch_key = std::function<bool(const Question& one, const Question& other)>;

    shared_statement(
        boost::asio::any_io_executor loop, async::task_group& tasks, batching wanted, ask all,
        batch_key are_alike = {})
        : core_{std::make_shared<core>(
              std::move(loop), tasks, wanted, std::move(all), std::move(are_alike))} {}

    /// What came of a question.
    struct reply {
        std::exception_ptr problem;
        Answer given;

        /// Throws what `ask` has thrown.
        [[nodiscard]] Answer value() && {
            if (problem) std::rethrow_exception(problem);
            return std::move(given);
        }
    };

    /// Asks one question; to be awaited, which takes no coroutine of its own. Is not cancelled:
    /// `by` ends it.
    [[nodiscard]] auto answer(Question question, deadline by) const {
        const enqueue start{core_};
        auto one = std::make_shared<waiting>(waiting{.question = std::move(question), .by = by});
        return boost::asio::async_initiate<const boost::asio::deferred_t&, void(reply)>(
            start, boost::asio::deferred, std::move(one));
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

    /// A statement ends for all its questions when the first of them must: one with so little time
    /// left, because its request has waited for the database before, is asked beside the others.
    static constexpr std::chrono::milliseconds hurried_below{500};

    struct core : std::enable_shared_from_this<core> {
        core(
            boost::asio::any_io_executor where, async::task_group& owner, batching wanted, ask all,
            batch_key alike)
            : loop{std::move(where)},
              tasks{owner},
              limits{wanted},
              ask_all{std::move(all)},
              are_alike{std::move(alike)},
              max_delay_timer{loop} {
            invariant(limits.statements_max > 0 && limits.questions_max > 0);
        }

        void add(std::shared_ptr<waiting> one) {
            queue.push_back(std::move(one));
            if (under_way < limits.statements_max) {
                send_soon();
            } else {
                watch_first();
            }
        }

        /// Sends all when the first of the queue has waited for too long.
        void watch_first() {
            if (queue.empty() || std::exchange(is_watching, true)) return;
            max_delay_timer.expires_at(queue.front()->since + limits.held_max);
            max_delay_timer.async_wait([self = this->shared_from_this()](auto problem) {
                self->is_watching = false;
                if (problem || self->queue.empty()) return;
                // The one that was watched may have gone in time.
                const auto waited = deadline::clock::now() - self->queue.front()->since;
                if (waited < self->limits.held_max) return self->watch_first();
                while (!self->queue.empty()) self->send();
            });
        }

        /// At the end of this turn of the loop: others may ask in it as well.
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
                std::stable_partition(together.begin(), together.end(), [soon](const auto& one) {
                    return one->by.when() < soon;
                });
            for (auto one = together.begin(); one != unhurried; ++one) send_isolated({*one});
            together.erase(together.begin(), unhurried);
            if (together.empty()) return;
            ++under_way;
            tasks.spawn("share a statement", run(this->shared_from_this(), std::move(together)));
        }

        /// Beside the others, whose number it does not count to: they must not wait for it.
        void send_isolated(batch together) {
            if (tasks.is_stopping()) return refuse(together);
            tasks.spawn(
                "isolated statement", run_isolated(this->shared_from_this(), std::move(together)));
        }

        static void refuse(const batch& together) {
            outcome closed;
            closed.problem =
                std::make_exception_ptr(unavailable{outage::closed, "the daemon is stopping"});
            for (const auto& one : together) tell(*one, closed, 0);
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
        std::shared_ptr<core> to;

        template <class Handler>
        void operator()(Handler&& handler, const std::shared_ptr<waiting>& one) const {
            // Swapped, not assigned: in Boost 1.81 the move assignment of this type calls itself
            // for ever.
            waiter caller{std::forward<Handler>(handler)};
            one->caller.swap(caller);
            to->add(one);
        }
    };

    static boost::asio::awaitable<outcome> try_all(
        const core& with, const std::vector<Question>& questions, deadline by) {
        outcome found;
        try {
            found.answers = co_await with.ask_all(questions, by);
            invariant(found.answers.size() == questions.size());
        } catch (...) {
            found.problem = std::current_exception();
        }
        co_return found;
    }

    /// That nothing was changed, for a reason that need not be all questions': not so a full disk.
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
        for (const auto& one : together) {
            all.questions.push_back(one->question);
            if (one->by.when() < all.by.when()) all.by = one->by;
        }
        return all;
    }

    static boost::asio::awaitable<void> run(std::shared_ptr<core> with, batch together) {
        const auto all = asking_for(together);
        auto found = co_await try_all(*with, all.questions, all.by);
        --with->under_way;
        with->send_what_may_go();  // The database goes on while these answers are written.
        const bool is_shared = together.size() > 1;
        const bool is_refused = is_shared && may_be_caused_by_one_query(found.problem);
        batch left;
        for (std::size_t at = 0; at < together.size(); ++at) {
            if (is_refused) {
                ask_again(*with, {std::move(together[at])});
            } else if (is_shared && !found.problem && !found.answers[at]) {
                left.push_back(std::move(together[at]));
            } else {
                tell(*together[at], found, at);
            }
        }
        while (!left.empty()) {
            const auto first = left.front();
            const auto others =
                std::stable_partition(left.begin(), left.end(), [&](const auto& one) {
                    return one == first ||
                           (with->are_alike && with->are_alike(one->question, first->question));
                });
            ask_again(*with, batch{left.begin(), others});
            left.erase(left.begin(), others);
        }
    }

    /// Whose time is over although there is an answer was held while the database changed hands,
    /// and gets as much time once more.
    static void ask_again(core& with, batch together) {
        for (const auto& one : together) {
            if (one->by.passed()) one->by = deadline::after(one->by.when() - one->since);
        }
        with.send_isolated(std::move(together));
    }

    static boost::asio::awaitable<void> run_isolated(std::shared_ptr<core> with, batch together) {
        const auto all = asking_for(together);
        auto found = co_await try_all(*with, all.questions, all.by);
        for (std::size_t at = 0; at < together.size(); ++at) tell(*together[at], found, at);
    }

    static void tell(waiting& one, outcome& found, std::size_t at) {
        waiter caller{std::move(one.caller)};
        if (found.problem) {
            std::move(caller)(reply{.problem = found.problem, .given = {}});
        } else {
            invariant(found.answers[at].has_value());
            std::move(caller)(reply{.problem = {}, .given = *std::move(found.answers[at])});
        }
    }

    std::shared_ptr<core> core_;
};

}  // namespace reelsd::db
