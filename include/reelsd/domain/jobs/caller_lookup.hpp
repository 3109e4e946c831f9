#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace reelsd::async {
class task_group;
}
namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// Whose token this is, and one of that one's reels if a reel is asked for.
struct caller_and_reel {
    std::optional<accounts::caller> caller;  ///< Nothing: no valid token.
    /// As clients see it (`jobs::job_view`). Null: the caller has no such reel.
    std::shared_ptr<const std::string> reel = {};
    bool has_ended = false;  ///< Whether the reel's job is done or has failed.
};

/// Room for reels that are kept, in bytes.
struct cache_limits {
    std::size_t taken;  ///< An estimate.
    std::size_t most;
};

/// The hottest query. Requests that come at the same moment share a statement, and the
/// token is checked in the statement that reads the reel. A reel that has ended is kept as it was
/// sent, and with the token of who reads it again the database is asked only whether any ended reel
/// of the account has changed (docs/adr/0022): each answer is what the database has after its
/// request has come, so that a revoked token and a deleted reel are gone at once on every instance.
/// A copy shares what it holds. Thread: the loop's.
class caller_lookup {
public:
    /// `tasks` and `pool` outlive every coroutine that asks. Up to `kept_bytes_max` are kept of
    /// reels that have ended.
    caller_lookup(
        boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool,
        std::size_t kept_bytes_max);
    ~caller_lookup();
    caller_lookup(const caller_lookup&);
    caller_lookup& operator=(const caller_lookup&) = delete;

    /// The token's caller; nothing when it is unknown or revoked, or its account is disabled.
    /// Throws what db::pool::run throws, as the other does.
    [[nodiscard]] boost::asio::awaitable<std::optional<accounts::caller>> find(
        accounts::token_hash token, deadline by);
    [[nodiscard]] boost::asio::awaitable<caller_and_reel> find_with_reel(
        accounts::token_hash token, job_id reel, deadline by);

    [[nodiscard]] cache_limits kept() const noexcept;

private:
    struct batches;
    std::shared_ptr<batches> statements_;
};

}  // namespace reelsd::jobs
