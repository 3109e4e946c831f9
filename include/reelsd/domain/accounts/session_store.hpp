#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/accounts/secret.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::accounts {

/// A sign-in session. Ends `session_idle_max` after its last use, and at the latest
/// `session_life_max` after it began.
struct session {
    account_id account;
    std::string email;
    bool is_admin = false;
    time_point expires_at;  ///< Unless it is used before.
};

inline constexpr std::chrono::hours session_idle_max{7 * 24};
inline constexpr std::chrono::hours session_life_max{30 * 24};
/// Long enough for a mail over a weekend.
inline constexpr std::chrono::hours invitation_life_max{7 * 24};

/// The data with which a sign-in verifies a password.
struct credentials {
    account_id account;
    std::string password_hash;
};

/// A session as its user sees it.
struct session_summary {
    std::string id;  ///< The hash of its secret, in hexadecimal digits.
    bool is_current = false;
    time_point created_at;
    time_point last_seen_at;  ///< Up to five minutes old.
    time_point expires_at;    ///< Unless it is used before.
    std::string user_agent;   ///< Up to 300 bytes; empty if unknown.
};

/// The secret of a link, which is shown once.
struct invitation {
    std::string secret;
    time_point expires_at;
};

/// The account of an invitation; without an address it creates the first administrator.
struct invitation_purpose {
    std::optional<std::string> email;
};

enum class acceptance : std::uint8_t {
    accepted,
    invalid,  ///< Unknown, used, expired, or of a disabled account.
    taken,    ///< The first administrator's address has an account that can sign in.
};

BOOST_DESCRIBE_ENUM(acceptance, accepted, invalid, taken)

struct accepted_invitation {
    acceptance outcome = acceptance::invalid;
    account_id account;  ///< Set when accepted.
};

/// Sessions, passwords and invitations.
class session_store : public db::store {
public:
    using db::store::store;

    /// Empty when there is no such account, it has no password or is disabled.
    awaitable<std::optional<credentials>> find_credentials(std::string email, deadline by);
    awaitable<std::optional<credentials>> find_credentials(account_id account, deadline by);

    /// Begins a session and returns its secret. Empty when the password's hash has changed since it
    /// was verified, or the account is disabled.
    awaitable<std::optional<std::string>> begin(
        credentials verified, deadline by, std::string user_agent = {});
    /// Finds a session and extends it, unless the database is read-only. Empty when it is unknown
    /// or has ended.
    awaitable<std::optional<session>> find(secret_hash hash, deadline by);
    awaitable<void> end(secret_hash hash, deadline by);
    /// The account's sessions, the last used first.
    awaitable<std::vector<session_summary>> list(
        account_id account, secret_hash current, deadline by);
    /// Ends the account's session with this id, or, without one, all but `current`. Returns how
    /// many have ended.
    awaitable<std::int64_t> end_others(
        account_id account, std::optional<std::string> id, secret_hash current, deadline by);

    /// Also ends all of the account's sessions. False when the hash has changed since it was
    /// verified.
    awaitable<bool> change_password(credentials verified, std::string new_hash, deadline by);

    /// Creates a link to set a password, which replaces the account's earlier one. Without an
    /// account: for the first administrator.
    awaitable<invitation> invite(std::optional<account_id> account, deadline by);
    /// Empty for an invalid invitation.
    awaitable<std::optional<invitation_purpose>> look_at(secret_hash hash, deadline by);
    /// `email` is used only for the first administrator.
    awaitable<accepted_invitation> accept(
        secret_hash hash, std::string email, std::string password_hash, deadline by);

    /// Whether there is an administrator who can sign in.
    awaitable<bool> has_administrator(deadline by);

private:
    awaitable<void> note_seen(secret_hash hash, deadline by);
};

}  // namespace reelsd::accounts
