#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

namespace reelsd::accounts {

BOOST_DESCRIBE_STRUCT(session, (), (account, email, is_admin, expires_at))
BOOST_DESCRIBE_STRUCT(
    session_summary, (), (id, is_current, created_at, last_seen_at, expires_at, user_agent))
BOOST_DESCRIBE_STRUCT(credentials, (), (account, password_hash))
BOOST_DESCRIBE_STRUCT(invitation_purpose, (), (email))
BOOST_DESCRIBE_STRUCT(accepted_invitation, (), (outcome, account))

namespace {

constexpr db::query find_credentials_by_email_query{"sessions.find_credentials_by_email", R"sql(
    SELECT id AS account, password_hash FROM account
     WHERE lower(email) = lower($1) AND password_hash IS NOT NULL AND disabled_at IS NULL)sql"};

constexpr db::query find_credentials_query{"sessions.find_credentials", R"sql(
    SELECT id AS account, password_hash FROM account
     WHERE id = $1 AND password_hash IS NOT NULL AND disabled_at IS NULL)sql"};

constexpr db::query begin_query{"sessions.begin", R"sql(
    SELECT begin_session($1, $2, $3, $4, $5) AS begun)sql"};

constexpr db::query find_session_query{"sessions.find", R"sql(
    SELECT session.account_id AS account, account.email, account.is_admin,
           least(session.expires_at, now() + make_interval(hours => $2)) AS expires_at,
           session.last_seen_at < now() - interval '5 minutes' AS is_unseen
      FROM web_session AS session JOIN account ON account.id = session.account_id
     WHERE session.hash = $1 AND session.expires_at > now()
       AND session.last_seen_at > now() - make_interval(hours => $2)
       AND account.disabled_at IS NULL)sql"};

constexpr db::query note_seen_query{"sessions.note_seen", R"sql(
    UPDATE web_session SET last_seen_at = now()
     WHERE hash = $1 AND last_seen_at < now() - interval '5 minutes')sql"};

constexpr db::query end_query{"sessions.end", R"sql(
    DELETE FROM web_session WHERE hash = $1)sql"};

// A separate statement, because the previous release calls begin_session() without it.
constexpr db::query name_session_query{"sessions.name", R"sql(
    UPDATE web_session SET user_agent = nullif($2, '') WHERE hash = $1)sql"};

constexpr db::query list_sessions_query{"sessions.list", R"sql(
    SELECT encode(hash, 'hex') AS id, hash = $3 AS is_current, created_at, last_seen_at,
           least(expires_at, last_seen_at + make_interval(hours => $2)) AS expires_at,
           coalesce(user_agent, '') AS user_agent
      FROM web_session
     WHERE account_id = $1 AND expires_at > now()
       AND last_seen_at > now() - make_interval(hours => $2)
     ORDER BY last_seen_at DESC, created_at DESC LIMIT 100)sql"};

constexpr db::query end_other_sessions_query{"sessions.end_others", R"sql(
    DELETE FROM web_session
     WHERE account_id = $1
       AND CASE WHEN $2::text IS NULL THEN hash <> $3 ELSE encode(hash, 'hex') = $2 END)sql"};

constexpr db::query change_password_query{"sessions.change_password", R"sql(
    SELECT change_password($1, $2, $3) AS changed)sql"};

constexpr db::query invite_query{"sessions.invite", R"sql(
    INSERT INTO invitation (hash, account_id, expires_at)
    VALUES ($1, $2, now() + make_interval(hours => $3))
    ON CONFLICT (account_id) DO UPDATE
       SET hash = excluded.hash, created_at = now(), expires_at = excluded.expires_at
    RETURNING expires_at)sql"};

constexpr db::query look_at_query{"sessions.look_at_invitation", R"sql(
    SELECT account.email
      FROM invitation LEFT JOIN account ON account.id = invitation.account_id
     WHERE invitation.hash = $1 AND invitation.expires_at > now()
       AND account.disabled_at IS NULL
       AND (invitation.account_id IS NOT NULL OR NOT EXISTS (
            SELECT FROM account
             WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL)))sql"};

constexpr db::query accept_query{"sessions.accept_invitation", R"sql(
    SELECT outcome, coalesce(account_id, 0) AS account FROM accept_invitation($1, $2, $3))sql"};

constexpr db::query has_administrator_query{"sessions.has_administrator", R"sql(
    SELECT EXISTS (
        SELECT FROM account
         WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL) AS known)sql"};

/// Part of a request's time that noting the use of its session may take.
constexpr std::chrono::milliseconds note_seen_time_max{500};

int hours_of(std::chrono::hours time) {
    return static_cast<int>(time.count());
}

}  // namespace

awaitable<std::optional<credentials>> session_store::find_credentials(
    std::string email, deadline by) {
    return read_optional<credentials>(by, find_credentials_by_email_query, email);
}

awaitable<std::optional<credentials>> session_store::find_credentials(
    account_id account, deadline by) {
    return read_optional<credentials>(by, find_credentials_query, account);
}

awaitable<std::optional<std::string>> session_store::begin(
    credentials verified, deadline by, std::string user_agent) {
    const auto secret = generate_secret();
    const auto hash = sha256_of(secret);
    const bool has_begun = co_await read_one<bool>(
        by,
        begin_query,
        hash,
        verified.account,
        verified.password_hash,
        hours_of(session_idle_max),
        hours_of(session_life_max));
    if (!has_begun) co_return std::nullopt;
    constexpr std::size_t name_bytes_max = 300;
    co_await execute(by, name_session_query, hash, utf8_prefix(user_agent, name_bytes_max));
    co_return secret;
}

awaitable<std::optional<session>> session_store::find(secret_hash hash, deadline by) {
    const auto found = co_await run(by, find_session_query, hash, hours_of(session_idle_max));
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    if (row->as<bool>("is_unseen")) co_await note_seen(hash, by);
    co_return row->to<session>();
}

awaitable<void> session_store::note_seen(secret_hash hash, deadline by) {
    try {
        co_await execute(by.at_most(note_seen_time_max), note_seen_query, hash);
    } catch (const db::failure&) {
        // A read-only database still serves sessions; the next request tries again.
    }
}

awaitable<void> session_store::end(secret_hash hash, deadline by) {
    return execute(by, end_query, hash);
}

awaitable<std::vector<session_summary>> session_store::list(
    account_id account, secret_hash current, deadline by) {
    return read_all<session_summary>(
        by, list_sessions_query, account, hours_of(session_idle_max), current);
}

awaitable<std::int64_t> session_store::end_others(
    account_id account, std::optional<std::string> id, secret_hash current, deadline by) {
    return affected(by, end_other_sessions_query, account, id, current);
}

awaitable<bool> session_store::change_password(
    credentials verified, std::string new_hash, deadline by) {
    return read_one<bool>(
        by, change_password_query, verified.account, verified.password_hash, new_hash);
}

awaitable<invitation> session_store::invite(std::optional<account_id> account, deadline by) {
    const auto secret = generate_secret();
    const auto hash = sha256_of(secret);
    const auto expires_at = co_await read_one<time_point>(
        by, invite_query, hash, account, hours_of(invitation_life_max));
    co_return invitation{.secret = secret, .expires_at = expires_at};
}

awaitable<std::optional<invitation_purpose>> session_store::look_at(secret_hash hash, deadline by) {
    return read_optional<invitation_purpose>(by, look_at_query, hash);
}

awaitable<accepted_invitation> session_store::accept(
    secret_hash hash, std::string email, std::string password_hash, deadline by) {
    return read_one<accepted_invitation>(by, accept_query, hash, email, password_hash);
}

awaitable<bool> session_store::has_administrator(deadline by) {
    return read_one<bool>(by, has_administrator_query);
}

}  // namespace reelsd::accounts
