#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

#include <span>

namespace reelsd::accounts {
namespace {

constexpr db::query find_credentials_by_email_query{"sessions.find_credentials_by_email", R"sql(
    SELECT id, password_hash FROM account
     WHERE lower(email) = lower($1) AND password_hash IS NOT NULL AND disabled_at IS NULL)sql"};

constexpr db::query find_credentials_query{"sessions.find_credentials", R"sql(
    SELECT id, password_hash FROM account
     WHERE id = $1 AND password_hash IS NOT NULL AND disabled_at IS NULL)sql"};

constexpr db::query begin_query{"sessions.begin", R"sql(
    SELECT begin_session($1, $2, $3, $4, $5) AS begun)sql"};

constexpr db::query find_session_query{"sessions.find", R"sql(
    SELECT session.account_id, account.email, account.is_admin,
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
    SELECT outcome, account_id FROM accept_invitation($1, $2, $3))sql"};

constexpr db::query has_administrator_query{"sessions.has_administrator", R"sql(
    SELECT EXISTS (
        SELECT FROM account
         WHERE is_admin AND password_hash IS NOT NULL AND disabled_at IS NULL) AS known)sql"};

/// Part of a request's time that noting the use of its session may take.
constexpr std::chrono::milliseconds note_seen_time_max{500};

auto bytes_of(const secret_hash& hash) {
    return std::as_bytes(std::span{hash});
}

int hours_of(std::chrono::hours time) {
    return static_cast<int>(time.count());
}

credentials credentials_from(const db::row& row) {
    return {
        .account = row.as<account_id>("id"), .password_hash = row.as<std::string>("password_hash")};
}

acceptance acceptance_from(std::string_view name) {
    if (name == "accepted") return acceptance::accepted;
    return name == "taken" ? acceptance::taken : acceptance::invalid;
}

}  // namespace

boost::asio::awaitable<std::optional<credentials>> session_store::find_credentials(
    std::string email, deadline by) {
    const auto answer = co_await pool_->run(by, find_credentials_by_email_query, email);
    co_return answer.map_one(&credentials_from);
}

boost::asio::awaitable<std::optional<credentials>> session_store::find_credentials(
    account_id account, deadline by) {
    const auto answer = co_await pool_->run(by, find_credentials_query, account);
    co_return answer.map_one(&credentials_from);
}

boost::asio::awaitable<std::optional<std::string>> session_store::begin(
    credentials verified, deadline by) {
    const auto secret = generate_secret();
    const auto hash = sha256_of(secret);
    const auto answer = co_await pool_->run(
        by,
        begin_query,
        bytes_of(hash),
        verified.account,
        verified.password_hash,
        hours_of(session_idle_max),
        hours_of(session_life_max));
    if (!answer.one().as<bool>("begun")) co_return std::nullopt;
    co_return secret;
}

boost::asio::awaitable<std::optional<session>> session_store::find(secret_hash hash, deadline by) {
    const auto found =
        co_await pool_->run(by, find_session_query, bytes_of(hash), hours_of(session_idle_max));
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    if (row->as<bool>("is_unseen")) co_await note_seen(hash, by);
    co_return session{
        .account = row->as<account_id>("account_id"),
        .email = row->as<std::string>("email"),
        .is_admin = row->as<bool>("is_admin"),
        .expires_at = row->as<time_point>("expires_at")};
}

boost::asio::awaitable<void> session_store::note_seen(secret_hash hash, deadline by) {
    try {
        co_await pool_->run(by.at_most(note_seen_time_max), note_seen_query, bytes_of(hash));
    } catch (const db::failure&) {
        // A read-only database still serves sessions; the next request tries again.
    }
}

boost::asio::awaitable<void> session_store::end(secret_hash hash, deadline by) {
    co_await pool_->run(by, end_query, bytes_of(hash));
}

boost::asio::awaitable<bool> session_store::change_password(
    credentials verified, std::string new_hash, deadline by) {
    const auto changed = co_await pool_->run(
        by, change_password_query, verified.account, verified.password_hash, new_hash);
    co_return changed.one().as<bool>("changed");
}

boost::asio::awaitable<invitation> session_store::invite(
    std::optional<account_id> account, deadline by) {
    const auto secret = generate_secret();
    const auto hash = sha256_of(secret);
    const auto answer = co_await pool_->run(
        by, invite_query, bytes_of(hash), account, hours_of(invitation_life_max));
    co_return invitation{.secret = secret, .expires_at = answer.one().as<time_point>("expires_at")};
}

boost::asio::awaitable<std::optional<invitation_purpose>> session_store::look_at(
    secret_hash hash, deadline by) {
    const auto answer = co_await pool_->run(by, look_at_query, bytes_of(hash));
    co_return answer.map_one([](const db::row& row) {
        return invitation_purpose{.email = row.as<std::optional<std::string>>("email")};
    });
}

boost::asio::awaitable<accepted_invitation> session_store::accept(
    secret_hash hash, std::string email, std::string password_hash, deadline by) {
    const auto done = co_await pool_->run(by, accept_query, bytes_of(hash), email, password_hash);
    const auto row = done.one();
    accepted_invitation accepted{
        .outcome = acceptance_from(row.as<std::string>("outcome")), .account = {}};
    if (accepted.outcome == acceptance::accepted) {
        accepted.account = row.as<account_id>("account_id");
    }
    co_return accepted;
}

boost::asio::awaitable<bool> session_store::has_administrator(deadline by) {
    const auto found = co_await pool_->run(by, has_administrator_query);
    co_return found.one().as<bool>("known");
}

}  // namespace reelsd::accounts
