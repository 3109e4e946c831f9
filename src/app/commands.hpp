#pragma once

#include "database.hpp"
#include "settings.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/account_store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

/// The subcommands: the arguments of each, and the function that runs it, prints its result on
/// standard output and returns its error.
namespace reelsd::app {

/// The function of a command that needs only the migrated database; see the template at the end.
using database_work = awaitable<result<void>>;

/// Serves until SIGINT or SIGTERM. Errors: any that keep the daemon from starting.
struct serve_command {};
[[nodiscard]] result<void> execute(const serve_command&, const settings&, const log::logger&);

struct migrate_command {};
[[nodiscard]] result<void> execute(const migrate_command&, const settings&, const log::logger&);

/// Prints a line for each check; `internal` when one failed.
struct doctor_command {};
[[nodiscard]] result<void> execute(const doctor_command&, const settings&, const log::logger&);

/// Requests /readyz from the daemon with the same settings. Prints nothing when it is ready.
struct healthcheck_command {};
[[nodiscard]] result<void> execute(const healthcheck_command&, const settings&, const log::logger&);

struct settings_command {};
[[nodiscard]] result<void> execute(const settings_command&, const settings&, const log::logger&);

/// Requests one post from each resolver and prints the responses; `internal` when no resolver has
/// the post.
struct resolve_command {
    std::string url;
    std::string strategy;  ///< One of the resolvers; empty: all that are configured.
    std::string save_to;   ///< A folder for redacted responses; empty: none are saved.
};
[[nodiscard]] result<void> execute(const resolve_command&, const settings&, const log::logger&);

/// Writes the whole database to a file, while the daemon runs. Leaves no file after a failure.
struct backup_command {
    std::string file;  ///< "-": standard output.
    bool force = false;
};
[[nodiscard]] result<void> execute(const backup_command&, const settings&, const log::logger&);

/// Restores a backup into an empty database, or with `replace` in place of any database, completely
/// or not at all. `conflict` while a daemon runs on it.
struct restore_command {
    std::string file;
    bool replace = false;
};
[[nodiscard]] result<void> execute(const restore_command&, const settings&, const log::logger&);

struct create_account_command {
    std::string email;
    bool is_administrator = false;
};
[[nodiscard]] database_work execute_on(db::pool&, create_account_command, const settings&);

/// Prints a line for each account, by e-mail address.
struct list_accounts_command {};
[[nodiscard]] database_work execute_on(db::pool&, list_accounts_command, const settings&);

/// Prints the limits in force, after the changes.
struct limit_account_command {
    std::string email;
    accounts::account_changes changes;
};
[[nodiscard]] database_work execute_on(db::pool&, limit_account_command, const settings&);

/// Prints the link. `conflict` for the first administrator's if an administrator can sign in.
struct invite_account_command {
    std::string account;  ///< E-mail address or id; empty: the first administrator's.
};
[[nodiscard]] database_work execute_on(db::pool&, invite_account_command, const settings&);

/// Prints all data of the account as JSON lines.
struct export_account_command {
    std::string email;
};
[[nodiscard]] database_work execute_on(db::pool&, export_account_command, const settings&);

/// Asks for the address again unless `is_confirmed`, deletes the account with all its data and
/// prints their numbers.
struct delete_account_command {
    std::string email;
    bool is_confirmed = false;
};
[[nodiscard]] database_work execute_on(db::pool&, delete_account_command, const settings&);

struct create_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
    std::string scope = "all";                      ///< A name of token_scope.
    std::optional<std::int64_t> valid_for_seconds;  ///< Empty: no expiry.
};
[[nodiscard]] database_work execute_on(db::pool&, create_token_command, const settings&);

struct list_tokens_command {
    std::string account;  ///< E-mail address or id.
};
[[nodiscard]] database_work execute_on(db::pool&, list_tokens_command, const settings&);

struct revoke_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
};
[[nodiscard]] database_work execute_on(db::pool&, revoke_token_command, const settings&);

/// Activates the configured embedder and prints its name. `invalid_argument` for the built-in one,
/// which makes no vectors.
struct use_embedder_command {};
[[nodiscard]] result<void> execute(
    const use_embedder_command&, const settings&, const log::logger&);

using command = std::variant<
    serve_command, migrate_command, doctor_command, healthcheck_command, settings_command,
    resolve_command, backup_command, restore_command, create_account_command, list_accounts_command,
    limit_account_command, invite_account_command, export_account_command, delete_account_command,
    create_token_command, list_tokens_command, revoke_token_command, use_embedder_command>;

template <class Command>
[[nodiscard]] result<void> execute(
    const Command& request, const settings& config, const log::logger& log) {
    const auto work = [&](db::pool& pool) { return execute_on(pool, request, config); };
    return with_database(config, log, work);
}

/// A command, and the settings from the command line, the environment and the configuration file.
struct invocation {
    command chosen;
    settings config;
};

/// The invocation, or the exit code: 0 after `--help` or `--version`, 2 after an error that was
/// printed on standard error.
[[nodiscard]] std::variant<invocation, int> read_command_line(int argument_count, char** arguments);

/// Prints "reelsd: " and the reason on standard error, as an error of systemd's journal.
void print_error(std::string_view why);

}  // namespace reelsd::app
