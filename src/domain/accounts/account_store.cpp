#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/accounts/account_store.hpp>

namespace reelsd::accounts {

BOOST_DESCRIBE_STRUCT(
    token_summary, (),
    (id, name, prefix, created_at, last_used_at, revoked_at, scope, expires_at, is_expired))
BOOST_DESCRIBE_STRUCT(new_token, (), (id, created_at, expires_at))
BOOST_DESCRIBE_STRUCT(
    account_limits, (),
    (submissions_per_minute, concurrent_jobs, requests_per_minute, queued_jobs, monthly_budget_usd))
BOOST_DESCRIBE_STRUCT(
    account_summary, (),
    (id, email, is_admin, can_sign_in, created_at, disabled_at, leaving_at, invited_until,
     last_seen_at, reels, limits, spent_this_month_usd))

namespace {

constexpr std::string_view unique_violation = "23505";

constexpr db::query create_query{"accounts.create", R"sql(
    INSERT INTO account (email, is_admin) VALUES ($1, $2)
    ON CONFLICT (lower(email)) DO NOTHING
    RETURNING id)sql"};

constexpr db::query find_query{"accounts.find", R"sql(
    SELECT id FROM account WHERE lower(email) = lower($1) OR id::text = $1)sql"};

// Frees the name of an expired token first.
constexpr db::query create_token_query{"accounts.create_token", R"sql(
    WITH expired AS (
        UPDATE api_token SET revoked_at = expires_at
         WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL AND expires_at <= now()
        RETURNING id)
    INSERT INTO api_token (account_id, name, hash, prefix, scope, expires_at)
    SELECT $1, $2, $3, $4, $5::token_scope, now() + make_interval(secs => $6::float8)
      FROM (SELECT count(*) FROM expired) AS freed
    RETURNING id, created_at, expires_at)sql"};

constexpr db::query tokens_query{"accounts.tokens", R"sql(
    SELECT id, name, prefix, created_at, last_used_at, revoked_at, scope, expires_at,
           coalesce(expires_at <= now(), false) AS is_expired
      FROM api_token WHERE account_id = $1 ORDER BY id)sql"};

constexpr db::query revoke_token_query{"accounts.revoke_token", R"sql(
    UPDATE api_token SET revoked_at = now()
     WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL)sql"};

constexpr db::query revoke_token_by_id_query{"accounts.revoke_token_by_id", R"sql(
    UPDATE api_token SET revoked_at = now()
     WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL)sql"};

constexpr db::query note_token_uses_query{"accounts.note_token_uses", R"sql(
    UPDATE api_token SET last_used_at = now() WHERE id = ANY ($1::bigint[]))sql"};

constexpr db::query list_query{"accounts.list", R"sql(
    SELECT account.id, account.email, account.is_admin,
           account.password_hash IS NOT NULL AS can_sign_in,
           account.created_at, account.disabled_at, account.leaving_at,
           (SELECT expires_at FROM invitation
             WHERE account_id = account.id AND expires_at > now()) AS invited_until,
           greatest((SELECT max(last_seen_at) FROM web_session WHERE account_id = account.id),
                    (SELECT max(last_used_at) FROM api_token WHERE account_id = account.id))
               AS last_seen_at,
           (SELECT count(*) FROM (
               SELECT FROM job_state WHERE account_id = ANY (ARRAY[account.id])
                ORDER BY account_id, id DESC LIMIT $4) AS capped) AS reels,
           account.submissions_per_minute, account.concurrent_jobs, account.requests_per_minute,
           account.queued_jobs,
           trim_scale(account.monthly_budget_usd)::text AS monthly_budget_usd,
           (SELECT trim_scale(coalesce(sum(cost_usd), 0))::text FROM model_call
             WHERE account_id = account.id AND NOT by_operator
               AND called_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')
               AS spent_this_month_usd
      FROM account
     WHERE ($1::bigint IS NULL OR account.id = $1)
       AND lower(account.email) > lower(coalesce($2::text, ''))
     ORDER BY lower(account.email) LIMIT $3)sql"};

constexpr db::query count_active_query{
    "accounts.count_active_jobs", "SELECT count_active_jobs($1, $2::integer)"};

constexpr db::query change_query{"accounts.change", R"sql(
    SELECT change_account($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::numeric, $12,
                          $13) AS outcome)sql"};

std::optional<int> value_of(const account_changes::limit& changed) {
    return changed.value_or(std::nullopt);
}

}  // namespace

awaitable<result<account_id>> account_store::create(std::string email, role as, deadline by) {
    const auto id =
        co_await read_optional<account_id>(by, create_query, email, as == role::administrator);
    if (id) co_return *id;
    co_return error{errc::conflict, "there is an account with this e-mail address"};
}

awaitable<result<account_id>> account_store::find(std::string email_or_id, deadline by) {
    const auto id = co_await read_optional<account_id>(by, find_query, email_or_id);
    if (id) co_return *id;
    co_return error{errc::not_found, "there is no such account"};
}

awaitable<result<new_token>> account_store::create_token(
    account_id account, std::string name, deadline by, token_options options) {
    const auto token = generate_token();
    const auto hash = hash_of_token(token).value();
    try {
        auto created = co_await read_one<new_token>(
            by,
            create_token_query,
            account,
            name,
            hash,
            prefix_of_token(token),
            options.scope,
            options.valid_for);
        created.token = token;
        co_return created;
    } catch (const db::refused& refusal) {
        // The unique index decides, not an earlier look-up: two requests may be concurrent.
        if (refusal.sqlstate() != unique_violation) throw;
        co_return error{errc::conflict, "the account has a token of this name"};
    }
}

awaitable<std::vector<token_summary>> account_store::tokens(account_id account, deadline by) {
    return read_all<token_summary>(by, tokens_query, account);
}

awaitable<result<void>> account_store::revoke_token(
    account_id account, std::string name, deadline by) {
    const bool is_revoked = co_await changed(by, revoke_token_query, account, name);
    if (is_revoked) co_return result<void>{};
    co_return error{errc::not_found, "the account has no valid token of this name"};
}

awaitable<result<void>> account_store::revoke_token(
    account_id account, token_id token, deadline by) {
    const bool is_revoked = co_await changed(by, revoke_token_by_id_query, account, token);
    if (is_revoked) co_return result<void>{};
    co_return error{errc::not_found, "the account has no valid token of this id"};
}

awaitable<void> account_store::note_token_uses(std::vector<token_id> tokens, deadline by) {
    return execute(by, note_token_uses_query, tokens);
}

awaitable<account_page> account_store::list(account_filter filter, deadline by) {
    invariant(filter.accounts_max > 0);
    // One more than requested shows whether there is a next page.
    account_page page;
    page.accounts = co_await read_all<account_summary>(
        by, list_query, filter.only, filter.after, filter.accounts_max + 1, reels_counted_max);
    if (db::cut_page(page.accounts, filter.accounts_max)) page.next = page.accounts.back().email;
    co_return page;
}

awaitable<std::int64_t> account_store::count_active_jobs(account_id account, deadline by) {
    return read_one<std::int64_t>(by, count_active_query, account, reels_counted_max);
}

awaitable<result<void>> account_store::change(
    account_id account, account_changes changes, deadline by) {
    const auto outcome = co_await read_one<std::string>(
        by,
        change_query,
        account,
        changes.disabled,
        changes.is_admin,
        changes.submissions_per_minute.has_value(),
        value_of(changes.submissions_per_minute),
        changes.concurrent_jobs.has_value(),
        value_of(changes.concurrent_jobs),
        changes.requests_per_minute.has_value(),
        value_of(changes.requests_per_minute),
        changes.monthly_budget_usd.has_value(),
        changes.monthly_budget_usd.value_or(std::nullopt),
        changes.queued_jobs.has_value(),
        value_of(changes.queued_jobs));
    if (outcome == "not_found") co_return error{errc::not_found, "there is no such account"};
    if (outcome == "last_administrator") {
        co_return error{
            errc::conflict,
            "this is the last administrator who can sign in: appoint another one first"};
    }
    co_return result<void>{};
}

}  // namespace reelsd::accounts
