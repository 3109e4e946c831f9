#pragma once

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace reelsd::jobs {

/// Who waits for which job to end. Lives on the loop's thread alone: no lock, and a waiting request
/// costs a timer and an entry here, no thread and no database connection.
class completion_board {
public:
    /// A place in the queue for one job's end. Take it before reading the job, so that an end
    /// between the read and the wait is not missed. Must not outlive the board.
    class ticket {
    public:
        /// Who finds out what other instances ended: the board's watch, or the holder by himself.
        enum class others_ends : std::uint8_t { asked_for, found_by_holder };

        ticket(completion_board& board, job_id job, others_ends found = others_ends::asked_for);
        ~ticket();
        ticket(const ticket&) = delete;
        ticket& operator=(const ticket&) = delete;

        /// Suspends until the job was announced (true; at once when it already was) or `by` has
        /// passed (false). An announcement is used up: wait again for the next one.
        boost::asio::awaitable<bool> wait(deadline by);

        /// Ends the wait as an announcement would, for a client that has gone or a daemon that
        /// stops.
        void wake();

    private:
        friend class completion_board;

        completion_board& board_;
        job_id job_;
        others_ends found_;
        async::monotonic_timer timer_;
        bool announced_ = false;
    };

    explicit completion_board(boost::asio::any_io_executor loop) : loop_{std::move(loop)} {}

    /// `job` ended, or is gone: its waiters look again.
    void announce(job_id job);
    /// All waiters look again; for a stop.
    void announce_all();

    /// The jobs that somebody waits for who does not find out by himself, each once; for the query
    /// that asks what other instances ended.
    [[nodiscard]] std::vector<job_id> awaited() const;
    [[nodiscard]] std::size_t waiter_count() const noexcept { return tickets_.size(); }

private:
    boost::asio::any_io_executor loop_;
    std::unordered_multimap<std::int64_t, ticket*> tickets_;
};

}  // namespace reelsd::jobs
