#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/token.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::accounts {

/// Whose request it is. Limits are the account's own; nothing means the daemon's default.
struct caller {
    account_id account;
    std::optional<int> requests_per_minute;
};

/// A token as its owner may see it: never the token itself.
struct token_summary {
    std::string name;
    std::string prefix;
    time_point created_at;
    std::optional<time_point> revoked_at;
};

/// Limits to set; what is not given stays as it is.
struct limit_changes {
    std::optional<int> submissions_per_minute;
    std::optional<int> concurrent_jobs;
    std::optional<int> requests_per_minute;
};

/// Limits as they stand; nothing means the daemon's default.
struct account_limits {
    std::optional<int> submissions_per_minute;
    std::optional<int> concurrent_jobs;
    std::optional<int> requests_per_minute;
};

enum class role : std::uint8_t { member, administrator };

/// Accounts and their API tokens. Throws like jobs::job_store. A cheap value around the pool.
class account_store {
public:
    explicit account_store(db::pool& pool) : pool_{&pool} {}

    /// The token's caller; nothing when it is unknown or revoked.
    boost::asio::awaitable<std::optional<caller>> authenticate(token_hash hash, deadline by);

    /// `conflict` when the e-mail address (whatever its letter case) has an account.
    boost::asio::awaitable<result<account_id>> create(std::string email, role as, deadline by);
    /// By e-mail address or by id in digits (an address has an @, so they cannot be mistaken for
    /// each other). `not_found` without such an account.
    boost::asio::awaitable<result<account_id>> find(std::string email_or_id, deadline by);

    /// Returns the plain token: the only time that it can be seen. `conflict` when the account has
    /// a valid token of that name.
    boost::asio::awaitable<result<std::string>> create_token(
        account_id account, std::string name, deadline by);
    boost::asio::awaitable<std::vector<token_summary>> tokens(account_id account, deadline by);
    /// Effective at once. `not_found` without a valid token of that name.
    boost::asio::awaitable<result<void>> revoke_token(
        account_id account, std::string name, deadline by);

    /// Sets what `changes` gives and returns all limits as they then stand.
    boost::asio::awaitable<account_limits> change_limits(
        account_id account, limit_changes changes, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::accounts
