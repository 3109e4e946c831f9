#pragma once

#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/change_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::jobs {

struct account_changes {
    std::vector<job_change> changed;    ///< The oldest change first.
    std::vector<job_deletion> deleted;  ///< The oldest deletion first.
    /// Some changes are missing: the reader must load its jobs again.
    bool is_incomplete = false;
    /// A reader that has seen all of this continues from here. Empty while changes are missing that
    /// is_incomplete has not reported yet.
    std::optional<time_point> position;

    [[nodiscard]] bool is_empty() const noexcept {
        return changed.empty() && deleted.empty() && !is_incomplete && !position;
    }
};

/// Minimum time between two resets of one account: a page loads about 100 reels on a reset.
inline constexpr std::chrono::seconds reset_interval{5};

/// Decides when the readers of an account that has too many changes load everything again:
/// immediately, then at most once in `reset_interval`.
class reset_schedule {
public:
    void request(account_id account) { accounts_[account].is_requested = true; }
    [[nodiscard]] bool is_requested(account_id account) const;
    /// The accounts whose readers are reset at `now`. Clears their requests.
    [[nodiscard]] std::vector<account_id> take_due(deadline::clock::time_point now);

private:
    struct account_state {
        deadline::clock::time_point next{};  ///< No reset before this.
        bool is_requested = false;
    };
    std::map<account_id, account_state> accounts_;
};

/// Reports changes of jobs, made by any daemon, to the requests that wait for them. Every half
/// second, while there are any, one statement reads the jobs that requests wait for, and one pair
/// of statements the changes of the subscribed accounts. announce() reports changes made by this
/// daemon immediately. A waiting request costs a timer and an entry here, and no thread, no
/// database connection. Thread: the loop's.
class change_poller {
public:
    change_poller(change_store store, log::logger log) : store_{store}, log_{std::move(log)} {}

    /// Waits for one job. Construct it before reading the job, so that a change between the read
    /// and the wait is not missed. Must not outlive the poller.
    class waiter {
    public:
        /// Waits for the job's end, or for each change after `seen`, the `changed_at` of the job as
        /// the caller has read it.
        waiter(change_poller& poller, job_id job, std::optional<time_point> seen = std::nullopt);
        ~waiter();

        /// Suspends until the job may have changed (true, even if it already has) or `by` has
        /// passed (false). The caller then reads the job.
        [[nodiscard]] awaitable<bool> wait(deadline by);
        /// The `changed_at` that was read. Without it, the same change is reported again.
        void saw(time_point changed_at) noexcept { seen_ = changed_at; }
        /// Ends the wait, for a client that has gone or a daemon that stops.
        void wake();

    private:
        friend class change_poller;

        change_poller& poller_;
        job_id job_;
        std::optional<time_point> seen_;
        async::condition woken_;
        bool is_woken_ = false;
    };

    /// Collects the changes of one account's jobs until they are taken. A reader that is too slow
    /// loses its changes, and must load everything again. Must not outlive the poller.
    class subscription {
    public:
        subscription(change_poller& poller, account_id account);
        ~subscription();

        /// Takes the changes, or waits for them until `by`. Empty after `by` and after wake().
        [[nodiscard]] awaitable<account_changes> next(deadline by);
        void wake() { arrived_.notify_all(); }

    private:
        friend class change_poller;
        void put(const account_changes& changes);

        change_poller& poller_;
        account_id account_;
        account_changes pending_;
        async::condition arrived_;
    };

    /// This daemon has changed or deleted the job: its waiters read it again.
    void announce(job_id job);

    /// Polls until it is cancelled.
    [[nodiscard]] awaitable<void> run();

    [[nodiscard]] std::size_t waiter_count() const noexcept { return waiters_.size(); }

private:
    awaitable<void> poll_jobs();
    awaitable<void> poll_accounts();
    awaitable<void> forget_old_deletions();
    [[nodiscard]] std::vector<watched_job> watched_jobs() const;
    void report(const watched_change& change);
    [[nodiscard]] bool is_new(std::int64_t key, time_point at, time_point until);
    void publish(const change_batch& batch);

    change_store store_;
    log::logger log_;
    std::unordered_multimap<std::int64_t, waiter*> waiters_;  ///< By job.
    std::multimap<account_id, subscription*> subscriptions_;
    async::condition first_came_;
    std::optional<time_point> position_;  ///< Position for the subscribed accounts.
    /// Changes that were published within the overlap of two polls: time and job, deletions with
    /// the job's number negated.
    std::set<std::pair<time_point, std::int64_t>> published_;
    reset_schedule resets_;
    deadline forget_at_ = deadline::after({});
    bool is_forgetting_failed_ =
        false;  ///< Limits the log to one warning for consecutive failures.
};

}  // namespace reelsd::jobs
