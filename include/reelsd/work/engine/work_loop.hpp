#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/domain/loop_call.hpp>  // What the stores throw.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/core/noncopyable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace reelsd::work {

/// Runs claimed work. Thread: the loop's.
template <class Claim, class Outcome>
class work_runner : boost::noncopyable {
public:
    /// Called once, on the loop, and never within `start`.
    using end_handler = std::function<void(Outcome outcome)>;

    /// Waits for running work without calling `on_end`.
    virtual ~work_runner() = default;

    /// Upper bound on concurrent work; 0 or more.
    [[nodiscard]] virtual std::size_t capacity() const noexcept = 0;

    /// Starts work. The caller respects the capacity. The work ends soon after a stop request.
    virtual void start(Claim claim, std::stop_token stop, end_handler on_end) = 0;
};

/// Runs work on its own threads. The destructor drops work that has not begun.
template <class Claim, class Outcome>
class threaded_runner final : public work_runner<Claim, Outcome> {
public:
    using typename work_runner<Claim, Outcome>::end_handler;
    /// Runs on a worker thread. Does not throw; ends soon after a stop request.
    using run_function = std::function<Outcome(const Claim&, std::stop_token)>;

    threaded_runner(boost::asio::any_io_executor loop, std::size_t threads, run_function run)
        : loop_{std::move(loop)}, run_{std::move(run)}, capacity_{threads}, threads_{threads} {}

    [[nodiscard]] std::size_t capacity() const noexcept override { return capacity_; }

    void start(Claim claim, std::stop_token stop, end_handler on_end) override {
        auto work = [this,
                     claim = std::move(claim),
                     stop = std::move(stop),
                     on_end = std::move(on_end)]() mutable {
            auto outcome = run_(claim, std::move(stop));
            auto finish = [on_end = std::move(on_end), outcome = std::move(outcome)]() mutable {
                on_end(std::move(outcome));
            };
            boost::asio::post(loop_, std::move(finish));
        };
        boost::asio::post(threads_, std::move(work));
    }

private:
    boost::asio::any_io_executor loop_;
    run_function run_;
    std::size_t capacity_;
    boost::asio::thread_pool threads_;  ///< Last: its threads use the members above.
};

/// Claims work from the database, runs it on the threads of a runner, and reports how it ended. A
/// derived class knows the work and its table; it claims and reports. The loop does not renew
/// leases.
///
/// A worker does not wait for the report of its last work: the next work begins at once. A report
/// that cannot be written is retried and occupies a worker until it is written, so that no more
/// work begins than can be reported.
///
/// Thread: all members on the loop. Must be stopped before it is destroyed.
template <class Claim, class Outcome>
class work_loop : public async::background_service {
public:
    /// Signals that work may be due. An idle worker takes it immediately.
    void wake() {
        wake_pending_ = true;
        woken_.notify_one();
    }

    /// Stops claiming and releases work that has not begun. Waits up to `drain` for running work,
    /// then asks it to stop and releases it. Returns true if nothing is left at `by`. Others claim
    /// remaining work when its lease ends.
    [[nodiscard]] awaitable<bool> stop(deadline by) override;

    /// Workers that run work, or that are occupied by a report that cannot be written.
    [[nodiscard]] std::size_t busy() const noexcept { return std::min(occupied_, capacity()); }
    /// Claims held: running, being reported, or waiting for a worker.
    [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }
    /// Held claims that have not begun: they wait, or are being released.
    [[nodiscard]] std::size_t unbegun() const noexcept {
        const auto is_unbegun = [](const auto& entry) {
            return entry.second.now == stage::waiting || entry.second.now == stage::released;
        };
        return static_cast<std::size_t>(std::count_if(held_.begin(), held_.end(), is_unbegun));
    }

protected:
    using runner = work_runner<Claim, Outcome>;

    /// A claim is `waiting` for a worker, then `running`, then `ended` and being reported. A claim
    /// that is `released` before it has begun is also reported.
    enum class stage : std::uint8_t { waiting, running, ended, released };

    struct held_claim {
        Claim claim;
        std::stop_source stop = {};
        monotonic_clock::time_point since;  ///< Begin of the waiting or running stage.
        stage now = stage::waiting;
        bool is_delayed = false;  ///< Its report could not be written at once.
    };
    using held_claims = std::map<std::int64_t, held_claim>;

    /// `tasks`, which runs the coroutines, outlives this. `work` must not refer to members of the
    /// derived class: its threads may outlive them.
    work_loop(
        async::task_group& tasks, std::unique_ptr<runner> work, std::chrono::milliseconds drain)
        : tasks_{tasks}, drain_{drain}, runner_{std::move(work)} {}

    [[nodiscard]] std::size_t capacity() const noexcept { return runner_->capacity(); }
    [[nodiscard]] held_claims& claims() noexcept { return held_; }
    [[nodiscard]] const held_claims& claims() const noexcept { return held_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }
    /// The claim that has waited longest; null if none waits.
    [[nodiscard]] held_claim* longest_waiting() {
        return waiting_.empty() ? nullptr : &held_.at(waiting_.front());
    }
    /// The stop is over: work of a claim that is answered now waits for the end of its lease.
    [[nodiscard]] bool has_stopped() const noexcept { return has_stopped_; }
    [[nodiscard]] bool is_database_reachable() const noexcept { return is_database_reachable_; }

    void start_claiming() { tasks_.spawn(name(), claim_loop()); }
    /// Adds a claim, which waits until begin_waiting(). Ignores a claim whose id is held already:
    /// the earlier lease has ended, and the first report ends the work.
    void take(std::int64_t id, Claim claim);
    void begin_waiting();
    /// Asks running work to stop, and releases waiting work.
    void stop_work(std::int64_t id);
    /// Records whether the last statement reached the database.
    void note_database(bool is_reachable);

private:
    /// Claims work while has_room(), and adds it. Throws db::failure.
    virtual awaitable<void> claim_work() = 0;
    /// Whether there is room for more claims now.
    [[nodiscard]] virtual bool has_room() const = 0;
    /// When to claim again without a wake().
    [[nodiscard]] virtual deadline next_claim_at() const = 0;
    virtual void log_claim_failure(const db::failure& failure) const = 0;

    /// Returns false if the claim must be released because its lease is too old.
    [[nodiscard]] virtual bool may_begin(const Claim& /*claim*/) const { return true; }
    virtual void on_begin(const Claim& /*claim*/) {}
    virtual void on_end(const held_claim& /*ended*/) {}

    /// Runs one statement. Returns false if the claim is no longer current. Throws db::failure.
    virtual awaitable<bool> write_report(const Claim& claim, const Outcome& outcome) = 0;
    /// The outcome of a claim that is released before it has begun.
    [[nodiscard]] virtual Outcome released() const = 0;
    /// Returns the outcome to report after a refusal. `repeated`: the last refusal was the same.
    virtual Outcome after_refusal(
        const Claim& claim, Outcome refused, const db::failure& refusal, bool repeated) = 0;
    /// Deadline after which the report is dropped. Nothing: it is retried until it is written.
    [[nodiscard]] virtual std::optional<deadline> report_by(const Claim& /*claim*/) const {
        return std::nullopt;
    }
    /// Called before the claim is removed. `written`: the result of write_report(), or false if the
    /// report was dropped.
    virtual void on_reported(const held_claim& ended, const Outcome& outcome, bool written) = 0;
    virtual void on_database_change(bool /*is_reachable*/) {}

    awaitable<void> claim_loop();
    void begin(std::int64_t id, held_claim& begun);
    void end(std::int64_t id, Outcome outcome);
    void release(std::int64_t id, held_claim& unbegun);
    awaitable<void> report(std::int64_t id, Outcome outcome);
    /// True if a stop has nothing left to wait for. It does not wait for a claim while the database
    /// is unreachable. It always waits for held work, because the database may return in time for
    /// the reports.
    [[nodiscard]] bool is_idle() const {
        return held_.empty() && (!is_claiming_ || !is_database_reachable_);
    }

    async::task_group& tasks_;
    std::chrono::milliseconds drain_;
    held_claims held_;
    std::deque<std::int64_t> waiting_;  ///< Keys of `held_`, in the order of the claims.
    std::size_t occupied_ = 0;          ///< Running work and delayed reports.
    async::condition woken_;
    async::condition emptied_;
    bool wake_pending_ = false;
    bool is_claiming_ = false;  ///< The claim loop runs.
    bool is_stopping_ = false;
    bool has_stopped_ = false;
    bool is_database_reachable_ = true;
    std::unique_ptr<runner> runner_;  ///< Last: its work ends in the members above.
};

template <class Claim, class Outcome>
awaitable<void> work_loop<Claim, Outcome>::claim_loop() {
    is_claiming_ = true;
    while (!is_stopping_) {
        wake_pending_ = false;
        try {
            co_await claim_work();
        } catch (const db::failure& failure) {
            note_database(failure.code() != errc::database_unavailable);
            log_claim_failure(failure);
        }
        // Claims again after a wake() during the claim.
        if (wake_pending_ && is_database_reachable_ && has_room()) continue;
        static_cast<void>(co_await woken_.wait(next_claim_at()));
    }
    is_claiming_ = false;
    emptied_.notify_all();
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::take(std::int64_t id, Claim claim) {
    const auto now = monotonic_clock::now();
    const auto [place, is_new] =
        held_.try_emplace(id, held_claim{.claim = std::move(claim), .since = now});
    if (!is_new) return;
    waiting_.push_back(id);
    // The answer to the claim may have taken longer than the lease itself.
    if (is_stopping_ || !may_begin(place->second.claim)) stop_work(id);
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::begin_waiting() {
    while (is_database_reachable_ && !waiting_.empty() && occupied_ < capacity()) {
        const auto id = waiting_.front();
        waiting_.pop_front();
        auto& next = held_.at(id);
        if (may_begin(next.claim)) {
            begin(id, next);
        } else {
            release(id, next);
        }
    }
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::begin(std::int64_t id, held_claim& begun) {
    begun.now = stage::running;
    begun.since = monotonic_clock::now();
    ++occupied_;
    on_begin(begun.claim);
    const auto at_end = [this, id](Outcome outcome) { end(id, std::move(outcome)); };
    runner_->start(begun.claim, begun.stop.get_token(), at_end);
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::end(std::int64_t id, Outcome outcome) {
    // The next work is begun or claimed while this is reported: both wait for the disk.
    auto& ended = held_.at(id);
    ended.now = stage::ended;
    --occupied_;
    on_end(ended);
    begin_waiting();
    tasks_.spawn(name(), report(id, std::move(outcome)));
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::stop_work(std::int64_t id) {
    auto& stopped = held_.at(id);
    stopped.stop.request_stop();
    if (stopped.now != stage::waiting) return;
    std::erase(waiting_, id);
    release(id, stopped);
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::release(std::int64_t id, held_claim& unbegun) {
    unbegun.now = stage::released;
    tasks_.spawn(name(), report(id, released()));
}

template <class Claim, class Outcome>
awaitable<void> work_loop<Claim, Outcome>::report(std::int64_t id, Outcome outcome) {
    using namespace std::chrono_literals;
    // The entry stays where it is until this coroutine removes it.
    auto& ended = held_.at(id);
    const auto by = report_by(ended.claim);
    bool written = false;
    std::string refused;  ///< The last refusal.
    for (bool is_settled = false; !is_settled && !(by && by->passed());) {
        try {
            written = co_await write_report(ended.claim, outcome);
            is_settled = true;
            continue;
        } catch (const db::unavailable&) {
            note_database(false);
        } catch (const db::failure& refusal) {
            const bool repeated = std::exchange(refused, refusal.what()) == refusal.what();
            outcome = after_refusal(ended.claim, std::move(outcome), refusal, repeated);
        }
        if (!std::exchange(ended.is_delayed, true)) ++occupied_;
        co_await async::pause(500ms);
    }
    on_reported(ended, outcome, written);
    if (ended.is_delayed) --occupied_;
    held_.erase(id);
    begin_waiting();
    if (held_.empty()) emptied_.notify_all();
}

template <class Claim, class Outcome>
void work_loop<Claim, Outcome>::note_database(bool is_reachable) {
    if (is_reachable == is_database_reachable_) return;
    is_database_reachable_ = is_reachable;
    on_database_change(is_reachable);
    if (is_reachable) begin_waiting();
    if (!is_reachable) emptied_.notify_all();  // See is_idle().
}

template <class Claim, class Outcome>
awaitable<bool> work_loop<Claim, Outcome>::stop(deadline by) {
    const auto drained_by = by.at_most(drain_);
    is_stopping_ = true;
    woken_.notify_all();
    while (!waiting_.empty()) stop_work(waiting_.front());
    while (!is_idle() && !drained_by.passed()) {
        static_cast<void>(co_await emptied_.wait(drained_by));
    }
    for (auto& [id, running] : held_) running.stop.request_stop();
    while (!is_idle() && !by.passed()) static_cast<void>(co_await emptied_.wait(by));
    has_stopped_ = true;
    co_return is_idle();
}

}  // namespace reelsd::work
