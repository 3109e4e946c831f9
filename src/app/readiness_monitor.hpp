#pragma once

#include <reelsd/async/background_task.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace reelsd::app {

/// Whether submissions can be stored and jobs can be claimed, checked once a second whether or not
/// anybody asks, so that a flood of requests to /readyz costs the database nothing.
///
/// Each check is one statement that writes nothing: the function that stores submissions, for
/// accounts that do not exist. A failed submission of a client counts as well; after one, rows are
/// inserted and rolled back until that succeeds, which notices a full disk.
///
/// Thread: the loop's only. `pool` outlives this.
class readiness_monitor final : public async::background_task {
public:
    /// `claimed_at`: when the dispatcher last looked for jobs with success; empty without workers.
    readiness_monitor(
        const boost::asio::any_io_executor& loop, db::pool& pool,
        std::function<std::optional<monotonic_clock::time_point>()> claimed_at, log::logger log);

    /// What the last check found; waits for the first one. Errors: database_unavailable with the
    /// check that failed, in words for clients: no SQL, no path.
    boost::asio::awaitable<result<void>> state();

    /// From now on the daemon is not ready.
    boost::asio::awaitable<bool> stop(deadline by) override;

private:
    /// Logs each change.
    boost::asio::awaitable<void> run() override;
    boost::asio::awaitable<result<void>> check();
    boost::asio::awaitable<void> check_submissions();
    void note(result<void> found);

    db::pool& pool_;
    std::function<std::optional<monotonic_clock::time_point>()> claimed_at_;
    result<void> state_;
    bool has_checked_ = false;
    bool is_stopping_ = false;
    async::condition checked_;       ///< Once, for those that ask before the first check has ended.
    std::string cause_;              ///< Of the last failed check, for the log.
    std::uint64_t submissions_ = 0;  ///< That have succeeded, at the last check.
    std::uint64_t faults_ = 0;       ///< Of submissions, at the last check.
    std::optional<monotonic_clock::time_point> faulty_at_;  ///< Until a submission could be stored.
};

/// What a failed check says to clients.
[[nodiscard]] std::string unready_text(const db::failure& why, const db::pool_state& pool);

}  // namespace reelsd::app
