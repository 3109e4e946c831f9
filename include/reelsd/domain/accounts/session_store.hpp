#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace reelsd::db {
class pool;
}

namespace reelsd::accounts {

/// Who is signed in. A session ends `session_idle_max` after it was last used, and
/// `session_life_max` after it began, whatever happens.
struct session {
    account_id account;
    std::string email;
    bool is_admin = false;
    time_point expires_at;  ///< Unless it is used before.
};

inline constexpr std::chrono::hours session_idle_max{7 * 24};
inline constexpr std::chrono::hours session_life_max{30 * 24};
/// A link goes through a chat or a mail; people have weekends.
inline constexpr std::chrono::hours invitation_life_max{7 * 24};

/// What signing in compares a password with.
struct credentials {
    account_id account;
    std::string password_hash;
};

/// A link's secret, shown once.
struct invitation {
    std::string secret;
    time_point expires_at;
};

/// What an invitation is for; without an address it makes the first administrator.
struct invitation_purpose {
    std::optional<std::string> email;
};

enum class acceptance : std::uint8_t {
    accepted,
    invalid,  ///< Unknown, used, expired, or of a disabled account.
    taken,    ///< The first administrator's address has an account that can sign in already.
};

struct accepted_invitation {
    acceptance outcome = acceptance::invalid;
    account_id account;  ///< Set when accepted.
};

/// Sessions, passwords and invitations. Throws like jobs::job_store. A cheap value around the pool.
class session_store {
public:
    explicit session_store(db::pool& pool) : pool_{&pool} {}

    /// Nothing when there is no such account, when it has no password, and when it is disabled.
    boost::asio::awaitable<std::optional<credentials>> find_credentials(
        std::string email, deadline by);
    boost::asio::awaitable<std::optional<credentials>> find_credentials(
        account_id account, deadline by);

    /// Begins a session and returns its secret, which its owner's browser keeps; nothing when the
    /// password's hash is no longer the one that was verified, or the account is disabled.
    boost::asio::awaitable<std::optional<std::string>> begin(credentials verified, deadline by);
    /// The session, which this use keeps alive as far as the database takes changes; nothing when
    /// it is unknown or has ended.
    boost::asio::awaitable<std::optional<session>> find(secret_hash hash, deadline by);
    boost::asio::awaitable<void> end(secret_hash hash, deadline by);

    /// Ends all of the account's sessions with it. False when the hash is no longer the one that
    /// was verified: somebody else was quicker.
    boost::asio::awaitable<bool> change_password(
        credentials verified, std::string new_hash, deadline by);

    /// A new link to set a password with; the account's older link stops working. Without an
    /// account: for the first administrator.
    boost::asio::awaitable<invitation> invite(std::optional<account_id> account, deadline by);
    /// Nothing when it would be `invalid`.
    boost::asio::awaitable<std::optional<invitation_purpose>> look_at(
        secret_hash hash, deadline by);
    /// `email` is used for the first administrator alone.
    boost::asio::awaitable<accepted_invitation> accept(
        secret_hash hash, std::string email, std::string password_hash, deadline by);

    /// Whether there is an administrator who can sign in.
    boost::asio::awaitable<bool> has_administrator(deadline by);

private:
    boost::asio::awaitable<void> note_seen(secret_hash hash, deadline by);

    db::pool* pool_;
};

}  // namespace reelsd::accounts
