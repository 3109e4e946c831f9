#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/secret.hpp>

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
    token_id token;  ///< That it came with.
    std::optional<int> requests_per_minute;
};

/// A token as its owner may see it: never the token itself.
struct token_summary {
    token_id id;
    std::string name;
    std::string prefix;
    time_point created_at;
    std::optional<time_point> last_used_at;  ///< To the minute or so.
    std::optional<time_point> revoked_at;
};

/// A token that has just been made.
struct new_token {
    token_id id;
    std::string token;  ///< The plain token: the only time that it can be seen.
    time_point created_at;
};

/// Limits to set; what is not given stays as it is.
struct limit_changes {
    std::optional<int> submissions_per_minute = {};
    std::optional<int> concurrent_jobs = {};
    std::optional<int> requests_per_minute = {};
    std::optional<int> queued_jobs = {};  ///< That wait beyond the concurrent ones.
    std::optional<double> monthly_budget_usd = {};
};

/// Limits as they stand; nothing means the daemon's default.
struct account_limits {
    std::optional<int> submissions_per_minute = {};
    std::optional<int> concurrent_jobs = {};
    std::optional<int> requests_per_minute = {};
    std::optional<int> queued_jobs = {};                 ///< That wait beyond the concurrent ones.
    std::optional<std::string> monthly_budget_usd = {};  ///< An exact decimal; nothing: none.
};

/// An account as administrators see it.
struct account_summary {
    account_id id;
    std::string email;
    bool is_admin = false;
    bool can_sign_in = false;  ///< It has a password.
    time_point created_at;
    std::optional<time_point> disabled_at;
    std::optional<time_point> leaving_at;     ///< It is being erased.
    std::optional<time_point> invited_until;  ///< A link to set a password waits.
    std::optional<time_point> last_seen_at;   ///< Of those who are signed in.
    std::int64_t reels = 0;                   ///< Counted up to `reels_counted_max`.
    account_limits limits;
    std::string spent_this_month_usd;  ///< Of calls whose cost is known; UTC.
};

/// An account with more reels has this many in its summary: counting reads an index entry for each.
inline constexpr std::int64_t reels_counted_max = 10'000;

struct account_filter {
    std::optional<account_id> only = {};
    std::optional<std::string> after = {};  ///< The e-mail address that the last page ended with.
    int accounts_max = 100;                 ///< 1 or more.
};

struct account_page {
    std::vector<account_summary> accounts;  ///< By e-mail address.
    std::optional<std::string> next;        ///< `after` of the next page; nothing on the last one.
};

/// What an administrator changes; what is not given stays as it is.
struct account_changes {
    /// A limit of its own, or nothing: the daemon's default again.
    using limit = std::optional<std::optional<int>>;

    std::optional<bool> disabled = {};
    std::optional<bool> is_admin = {};
    limit submissions_per_minute = {};
    limit concurrent_jobs = {};
    limit requests_per_minute = {};
    limit queued_jobs = {};
    /// An exact decimal, at least 0; or nothing: none.
    std::optional<std::optional<std::string>> monthly_budget_usd = {};
};

enum class role : std::uint8_t { member, administrator };

/// Accounts and their API tokens. Throws like jobs::job_store. A cheap value around the pool.
class account_store {
public:
    explicit account_store(db::pool& pool) : pool_{&pool} {}

    /// `conflict` when the e-mail address (whatever its letter case) has an account.
    boost::asio::awaitable<result<account_id>> create(std::string email, role as, deadline by);
    /// By e-mail address or by id in digits (an address has an @, so they cannot be mistaken for
    /// each other). `not_found` without such an account.
    boost::asio::awaitable<result<account_id>> find(std::string email_or_id, deadline by);

    /// `conflict` when the account has a valid token of that name.
    boost::asio::awaitable<result<new_token>> create_token(
        account_id account, std::string name, deadline by);
    /// The oldest first.
    boost::asio::awaitable<std::vector<token_summary>> tokens(account_id account, deadline by);
    /// Effective at once. `not_found` without a valid token of that name.
    boost::asio::awaitable<result<void>> revoke_token(
        account_id account, std::string name, deadline by);

    /// The same by the token's id.
    boost::asio::awaitable<result<void>> revoke_token(
        account_id account, token_id token, deadline by);
    /// Writes that these tokens were used just now.
    boost::asio::awaitable<void> note_token_uses(std::vector<token_id> tokens, deadline by);

    /// Sets what `changes` gives and returns all limits as they then stand.
    boost::asio::awaitable<account_limits> change_limits(
        account_id account, limit_changes changes, deadline by);

    boost::asio::awaitable<account_page> list(account_filter wanted, deadline by);
    /// Disabling ends the account's sessions and its link. `not_found`; `conflict` when no
    /// administrator who can sign in would be left.
    boost::asio::awaitable<result<void>> change(
        account_id account, account_changes changes, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::accounts
