#pragma once

#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/completion_board.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace reelsd::jobs {

/// Tells those who follow a job to its end that it has changed, whichever daemon has changed it:
/// one look at the database each half second for all of them, and the completion board at once for
/// what ends here. Following costs a timer and two entries, no thread and no database connection.
/// Loop's thread only.
class job_watch {
public:
    /// `board` outlives this.
    job_watch(change_store store, completion_board& board, log::logger log)
        : store_{store}, board_{board}, log_{std::move(log)} {}
    job_watch(const job_watch&) = delete;
    job_watch& operator=(const job_watch&) = delete;

    /// Somebody who follows a job. Must not outlive the watch.
    class follower {
    public:
        /// `seen`: the `changed_at` of the job as he has read it.
        follower(job_watch& watch, job_id job, time_point seen);
        ~follower();
        follower(const follower&) = delete;
        follower& operator=(const follower&) = delete;

        /// Suspends until the job may have changed (true: read it, and say with saw() what was
        /// read, or be told again) or `by` has passed (false).
        [[nodiscard]] boost::asio::awaitable<bool> wait(deadline by) { return place_.wait(by); }
        void saw(time_point changed_at) noexcept { seen_ = changed_at; }
        /// Ends the wait, for a client that has gone or a daemon that stops.
        void wake() { place_.wake(); }

    private:
        friend class job_watch;

        job_watch& watch_;
        job_id job_;
        time_point seen_;
        completion_board::ticket place_;
    };

    /// Looks until it is cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] std::size_t followers() const noexcept { return followers_.size(); }

private:
    boost::asio::awaitable<void> look();
    void tell(const followed_change& changed);

    change_store store_;
    completion_board& board_;
    log::logger log_;
    std::unordered_multimap<std::int64_t, follower*> followers_;
    async::condition first_came_;
};

}  // namespace reelsd::jobs
