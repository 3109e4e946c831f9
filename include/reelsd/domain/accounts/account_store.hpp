#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/base/token_scope.hpp>
#include <reelsd/db/store.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::accounts {

/// The caller of a request. An empty limit means the daemon's default.
struct caller {
    account_id account;
    token_id token;  ///< Token of the request.
    token_scope scope = token_scope::all;
    std::optional<int> requests_per_minute;
};

/// A token as its owner sees it, without its text.
struct token_summary {
    token_id id;
    std::string name;
    std::string prefix;
    time_point created_at;
    std::optional<time_point> last_used_at = {};  ///< Accurate to about a minute.
    std::optional<time_point> revoked_at = {};
    token_scope scope = token_scope::all;
    std::optional<time_point> expires_at = {};  ///< Empty: never.
    bool is_expired = false;                    ///< By the database's clock, as for requests.
};

struct token_options {
    token_scope scope = token_scope::all;
    std::optional<seconds_f> valid_for = {};  ///< At most `token_life_max`; empty: no expiry.
};

inline constexpr seconds_f token_life_max{10.0 * 365 * 24 * 3600};

struct new_token {
    token_id id;
    std::string token;  ///< The plain text, which is not stored.
    time_point created_at;
    std::optional<time_point> expires_at;
};

/// Limits of an account. An empty limit means the daemon's default.
struct account_limits {
    std::optional<int> submissions_per_minute = {};
    std::optional<int> concurrent_jobs = {};
    std::optional<int> requests_per_minute = {};
    std::optional<int> queued_jobs = {};                 ///< Queued beyond the concurrent ones.
    std::optional<std::string> monthly_budget_usd = {};  ///< An exact decimal; empty: no limit.
};

/// An account as administrators see it.
struct account_summary {
    account_id id;
    std::string email;
    bool is_admin = false;
    bool can_sign_in = false;  ///< Whether it has a password.
    time_point created_at;
    std::optional<time_point> disabled_at;
    std::optional<time_point> leaving_at;     ///< When its erasure began.
    std::optional<time_point> invited_until;  ///< Expiry of its link to set a password.
    std::optional<time_point> last_seen_at;   ///< Latest use of a session or token.
    std::int64_t reels = 0;                   ///< Counted up to `reels_counted_max`.
    account_limits limits;
    std::string spent_this_month_usd;  ///< Sum of calls with a known cost; months are UTC.
};

/// Upper bound of `reels`, because counting reads an index entry for each.
inline constexpr std::int64_t reels_counted_max = 10'000;

struct account_filter {
    std::optional<account_id> only = {};
    std::optional<std::string> after = {};  ///< Last e-mail address of the page before.
    int accounts_max = 100;                 ///< 1 or more.
};

struct account_page {
    std::vector<account_summary> accounts;  ///< By e-mail address.
    std::optional<std::string> next;        ///< `after` of the next page; empty on the last one.
};

/// Changes by an administrator; empty ones change nothing.
struct account_changes {
    /// A new limit; an inner empty value resets to the daemon's default.
    using limit = std::optional<std::optional<int>>;

    std::optional<bool> disabled = {};
    std::optional<bool> is_admin = {};
    limit submissions_per_minute = {};
    limit concurrent_jobs = {};
    limit requests_per_minute = {};
    limit queued_jobs = {};
    /// An exact decimal, at least 0; an inner empty value: no limit.
    std::optional<std::optional<std::string>> monthly_budget_usd = {};
};

enum class role : std::uint8_t { member, administrator };

/// Accounts and their API tokens.
class account_store : public db::store {
public:
    using db::store::store;

    /// Errors: conflict when the e-mail address has an account, in any letter case.
    awaitable<result<account_id>> create(std::string email, role as, deadline by);
    /// Finds by e-mail address or by id in digits. Errors: not_found.
    awaitable<result<account_id>> find(std::string email_or_id, deadline by);

    /// Errors: conflict when the account has a valid token of that name.
    awaitable<result<new_token>> create_token(
        account_id account, std::string name, deadline by, token_options options = {});
    /// Oldest first.
    awaitable<std::vector<token_summary>> tokens(account_id account, deadline by);
    /// Effective immediately. Errors: not_found without a valid token of that name or id.
    awaitable<result<void>> revoke_token(account_id account, std::string name, deadline by);
    awaitable<result<void>> revoke_token(account_id account, token_id token, deadline by);
    /// Records that these tokens were used now.
    awaitable<void> note_token_uses(std::vector<token_id> tokens, deadline by);

    awaitable<account_page> list(account_filter filter, deadline by);

    /// The account's jobs that have not ended, up to `reels_counted_max`.
    awaitable<std::int64_t> count_active_jobs(account_id account, deadline by);

    /// Disabling ends the account's sessions and its link. Errors: not_found; conflict when no
    /// administrator who can sign in would be left.
    awaitable<result<void>> change(account_id account, account_changes changes, deadline by);
};

}  // namespace reelsd::accounts
