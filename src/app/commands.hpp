#pragma once

#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/account_store.hpp>

#include <string>
#include <variant>

/// The subcommands: what the command line says about each, and the function that runs it, prints
/// its result on standard output and returns why it failed.
namespace reelsd::app {

/// Serves until SIGINT or SIGTERM. Errors: whatever keeps the daemon from starting.
struct serve_command {};
[[nodiscard]] result<void> execute(const serve_command&, const settings&, const log::logger&);

struct migrate_command {};
[[nodiscard]] result<void> execute(const migrate_command&, const settings&, const log::logger&);

/// Prints a line for each check; `internal` when one failed.
struct doctor_command {};
[[nodiscard]] result<void> execute(const doctor_command&, const settings&, const log::logger&);

/// Asks the daemon with the same settings whether it is ready, over its own port. Prints nothing
/// when it is.
struct healthcheck_command {};
[[nodiscard]] result<void> execute(const healthcheck_command&, const settings&, const log::logger&);

/// Prints the table of settings as JSON.
struct settings_command {};
[[nodiscard]] result<void> execute(const settings_command&, const settings&, const log::logger&);

/// Requests one post from each resolver and prints what each response showed; `internal` when none
/// has the post.
struct resolve_command {
    std::string url;
    std::string strategy;  ///< One of the resolvers; empty: all that are configured.
    std::string save_to;   ///< A folder for redacted responses; empty: none are kept.
};
[[nodiscard]] result<void> execute(const resolve_command&, const settings&, const log::logger&);

/// Writes the whole database to a file, while the daemon runs. Leaves no file after a failure.
struct backup_command {
    std::string file;  ///< "-": standard output.
    bool force = false;
};
[[nodiscard]] result<void> execute(const backup_command&, const settings&, const log::logger&);

/// Puts a backup into an empty database, or with `replace` in the place of what is there, as a
/// whole or not at all. `conflict` while a daemon runs on it.
struct restore_command {
    std::string file;
    bool replace = false;
};
[[nodiscard]] result<void> execute(const restore_command&, const settings&, const log::logger&);

struct create_account_command {
    std::string email;
    bool is_administrator = false;
};
[[nodiscard]] result<void> execute(
    const create_account_command&, const settings&, const log::logger&);

struct limit_account_command {
    std::string email;
    accounts::limit_changes changes;
};
[[nodiscard]] result<void> execute(
    const limit_account_command&, const settings&, const log::logger&);

/// Prints the link. `conflict` for the first administrator's when one can sign in already.
struct invite_account_command {
    std::string account;  ///< E-mail address or id; empty: the first administrator's.
};
[[nodiscard]] result<void> execute(
    const invite_account_command&, const settings&, const log::logger&);

/// Prints all data of the account as lines of JSON.
struct export_account_command {
    std::string email;
};
[[nodiscard]] result<void> execute(
    const export_account_command&, const settings&, const log::logger&);

/// Asks for the address again unless `is_confirmed`, deletes the account with all its data and
/// prints what that was.
struct delete_account_command {
    std::string email;
    bool is_confirmed = false;
};
[[nodiscard]] result<void> execute(
    const delete_account_command&, const settings&, const log::logger&);

struct create_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
};
[[nodiscard]] result<void> execute(
    const create_token_command&, const settings&, const log::logger&);

struct list_tokens_command {
    std::string account;  ///< E-mail address or id.
};
[[nodiscard]] result<void> execute(const list_tokens_command&, const settings&, const log::logger&);

struct revoke_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
};
[[nodiscard]] result<void> execute(
    const revoke_token_command&, const settings&, const log::logger&);

/// Makes the configured embedder the one in use and prints its name. `invalid_argument` when it is
/// the built-in one, which makes no vectors.
struct use_embedder_command {};
[[nodiscard]] result<void> execute(
    const use_embedder_command&, const settings&, const log::logger&);

using command = std::variant<
    serve_command, migrate_command, doctor_command, healthcheck_command, settings_command,
    resolve_command, backup_command, restore_command, create_account_command, limit_account_command,
    invite_account_command, export_account_command, delete_account_command, create_token_command,
    list_tokens_command, revoke_token_command, use_embedder_command>;

}  // namespace reelsd::app
