#pragma once

#include <reelsd/async/background_service.hpp>
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

/// Whether submissions can be stored and jobs can be claimed. Checked once a second, so that a
/// flood of requests to /readyz costs the database nothing.
///
/// Each check is one statement that writes nothing: the function that stores submissions, for
/// accounts that do not exist. After a failed submission of a client, each check also inserts rows
/// and rolls them back, which notices a full disk, until that succeeds.
///
/// Thread: the loop's only. `pool` outlives this.
class readiness_monitor final : public async::background_task {
public:
    /// `claimed_at`: when the dispatcher last read the queue successfully; empty without workers.
    readiness_monitor(
        const boost::asio::any_io_executor& loop, db::pool& pool,
        std::function<std::optional<monotonic_clock::time_point>()> claimed_at, log::logger log);

    /// Result of the last check; waits for the first one. Errors: database_unavailable. The detail
    /// is for clients: no SQL, no path.
    boost::asio::awaitable<result<void>> state();

    /// The daemon is not ready from now on.
    boost::asio::awaitable<bool> stop(deadline by) override;

private:
    /// Logs each change.
    boost::asio::awaitable<void> run() override;
    boost::asio::awaitable<result<void>> check();
    boost::asio::awaitable<void> check_submissions();
    void note(result<void> checked);

    db::pool& pool_;
    std::function<std::optional<monotonic_clock::time_point>()> claimed_at_;
    result<void> state_;
    bool has_checked_ = false;
    bool is_stopping_ = false;
    async::condition checked_;       ///< Notified after each check.
    std::string cause_;              ///< Cause of the last failed check, for the log.
    std::uint64_t submissions_ = 0;  ///< Successful ones at the last check.
    std::uint64_t faults_ = 0;       ///< Failed submissions at the last check.
    std::optional<monotonic_clock::time_point>
        faulty_at_;  ///< Reset when a submission could be stored.
};

/// Text of a failed check for clients.
[[nodiscard]] std::string unready_text(const db::failure& why, const db::pool_state& pool);

}  // namespace reelsd::app
