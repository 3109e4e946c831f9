#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/account_store.hpp>

#include <span>

namespace reelsd::accounts {
namespace {

constexpr std::string_view unique_violation = "23505";

constexpr db::query authenticate_query{"accounts.authenticate", R"sql(
    SELECT account.id, account.requests_per_minute
      FROM api_token JOIN account ON account.id = api_token.account_id
     WHERE api_token.hash = $1 AND api_token.revoked_at IS NULL)sql"};

constexpr db::query create_query{"accounts.create", R"sql(
    INSERT INTO account (email, is_admin) VALUES ($1, $2)
    ON CONFLICT (lower(email)) DO NOTHING
    RETURNING id)sql"};

constexpr db::query find_query{"accounts.find", R"sql(
    SELECT id FROM account WHERE lower(email) = lower($1) OR id::text = $1)sql"};

constexpr db::query create_token_query{"accounts.create_token", R"sql(
    INSERT INTO api_token (account_id, name, hash, prefix) VALUES ($1, $2, $3, $4))sql"};

constexpr db::query tokens_query{"accounts.tokens", R"sql(
    SELECT name, prefix, created_at, revoked_at
      FROM api_token WHERE account_id = $1 ORDER BY id)sql"};

constexpr db::query revoke_token_query{"accounts.revoke_token", R"sql(
    UPDATE api_token SET revoked_at = now()
     WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL)sql"};

constexpr db::query change_limits_query{"accounts.change_limits", R"sql(
    UPDATE account
       SET submissions_per_minute = coalesce($2::integer, submissions_per_minute),
           concurrent_jobs = coalesce($3::integer, concurrent_jobs),
           requests_per_minute = coalesce($4::integer, requests_per_minute)
     WHERE id = $1
    RETURNING submissions_per_minute, concurrent_jobs, requests_per_minute)sql"};

token_summary token_summary_from(const db::row& row) {
    return {
        .name = row.as<std::string>("name"),
        .prefix = row.as<std::string>("prefix"),
        .created_at = row.as<time_point>("created_at"),
        .revoked_at = row.as<std::optional<time_point>>("revoked_at")};
}

}  // namespace

boost::asio::awaitable<std::optional<caller>> account_store::authenticate(
    token_hash hash, deadline by) {
    const auto found = co_await pool_->run(by, authenticate_query, std::as_bytes(std::span{hash}));
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    co_return caller{
        .account = row->as<account_id>("id"),
        .requests_per_minute = row->as<std::optional<int>>("requests_per_minute")};
}

boost::asio::awaitable<result<account_id>> account_store::create(
    std::string email, role as, deadline by) {
    const auto made = co_await pool_->run(by, create_query, email, as == role::administrator);
    const auto row = made.one_or_none();
    if (!row) co_return error{errc::conflict, "there is an account with this e-mail address"};
    co_return row->as<account_id>("id");
}

boost::asio::awaitable<result<account_id>> account_store::find(
    std::string email_or_id, deadline by) {
    const auto found = co_await pool_->run(by, find_query, email_or_id);
    const auto row = found.one_or_none();
    if (!row) co_return error{errc::not_found, "there is no such account"};
    co_return row->as<account_id>("id");
}

boost::asio::awaitable<result<std::string>> account_store::create_token(
    account_id account, std::string name, deadline by) {
    const auto token = generate_token();
    const auto hash = hash_of_token(token).value();
    try {
        co_await pool_->run(
            by,
            create_token_query,
            account,
            name,
            std::as_bytes(std::span{hash}),
            prefix_of_token(token));
    } catch (const db::refused& refusal) {
        // The name's index decides, not a look-up before: two may ask at the same moment.
        if (refusal.sqlstate() != unique_violation) throw;
        co_return error{errc::conflict, "the account has a token of this name"};
    }
    co_return token;
}

boost::asio::awaitable<std::vector<token_summary>> account_store::tokens(
    account_id account, deadline by) {
    const auto found = co_await pool_->run(by, tokens_query, account);
    co_return found.map(&token_summary_from);
}

boost::asio::awaitable<result<void>> account_store::revoke_token(
    account_id account, std::string name, deadline by) {
    const auto changed = co_await pool_->run(by, revoke_token_query, account, name);
    if (changed.affected() == 0) {
        co_return error{errc::not_found, "the account has no valid token of this name"};
    }
    co_return result<void>{};
}

boost::asio::awaitable<account_limits> account_store::change_limits(
    account_id account, limit_changes changes, deadline by) {
    const auto changed = co_await pool_->run(
        by,
        change_limits_query,
        account,
        changes.submissions_per_minute,
        changes.concurrent_jobs,
        changes.requests_per_minute);
    const auto row = changed.one();
    co_return account_limits{
        .submissions_per_minute = row.as<std::optional<int>>("submissions_per_minute"),
        .concurrent_jobs = row.as<std::optional<int>>("concurrent_jobs"),
        .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")};
}

}  // namespace reelsd::accounts
