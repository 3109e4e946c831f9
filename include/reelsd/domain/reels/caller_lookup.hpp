#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/token.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>

namespace reelsd::async {
class task_group;
}
namespace reelsd::db {
class pool;
}

namespace reelsd::reels {

/// Whose token this is, and one of that one's reels if a reel is asked for.
struct caller_and_reel {
    std::optional<accounts::caller> caller;  ///< Nothing: no valid token.
    std::optional<jobs::job> reel;           ///< Nothing: the caller has no such reel.
};

/// The hottest question of all. Requests that come at the same moment share a statement, and the
/// token is checked in the statement that reads the reel; every answer is read from the database
/// after its request has come, so that a revoked token and a deleted reel are gone at once on every
/// instance. A copy shares what it holds. Thread: the loop's.
class caller_lookup {
public:
    /// Both outlive every coroutine that asks.
    caller_lookup(boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);
    ~caller_lookup();
    caller_lookup(const caller_lookup&);
    caller_lookup& operator=(const caller_lookup&) = delete;

    /// The token's caller; nothing when it is unknown or revoked, or its account is disabled.
    /// Throws what db::pool::run throws, as the other does.
    [[nodiscard]] boost::asio::awaitable<std::optional<accounts::caller>> find(
        accounts::token_hash token, deadline by);
    [[nodiscard]] boost::asio::awaitable<caller_and_reel> find_with_reel(
        accounts::token_hash token, job_id reel, deadline by);

private:
    struct sharing_statements;
    std::shared_ptr<const sharing_statements> statements_;
};

}  // namespace reelsd::reels
