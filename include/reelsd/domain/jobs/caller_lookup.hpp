#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <boost/asio/any_io_executor.hpp>

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

struct caller_and_reel {
    std::optional<accounts::caller> caller;  ///< Empty: no valid token.
    /// As clients see it (`jobs::job_view`). Null: the caller has no such reel.
    std::shared_ptr<const std::string> reel = {};
    bool has_ended = false;  ///< Whether the reel's job is done or has failed.
};

/// Size of the cache of reels, in bytes.
struct cache_limits {
    std::size_t taken;  ///< An estimate.
    std::size_t most;
};

/// Looks up callers and their reels; the hottest query. Concurrent requests share a statement,
/// which checks the token and reads the reel. Ended reels are cached as JSON, and revalidated at
/// each read with the token (docs/adr/0022), so that revoked tokens and deleted reels are effective
/// immediately on every daemon. Copies share their state. Thread: the loop's.
class caller_lookup {
public:
    /// `tasks` and `pool` outlive every coroutine of a look-up. `cache_bytes_max` bounds the cache.
    caller_lookup(
        boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool,
        std::size_t cache_bytes_max);
    ~caller_lookup();
    caller_lookup(const caller_lookup&);
    caller_lookup& operator=(const caller_lookup&) = delete;

    /// The token's caller; empty when it is unknown, revoked or expired, or its account is
    /// disabled. Throws like db::pool::run.
    [[nodiscard]] awaitable<std::optional<accounts::caller>> find(
        accounts::token_hash token, deadline by);
    [[nodiscard]] awaitable<caller_and_reel> find_with_reel(
        accounts::token_hash token, job_id reel, deadline by);

    [[nodiscard]] cache_limits kept() const noexcept;

private:
    struct batches;
    std::shared_ptr<batches> statements_;
};

}  // namespace reelsd::jobs
