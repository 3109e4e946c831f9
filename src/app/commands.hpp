#pragma once

#include "command_line.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

/// The subcommands, each one function: prints its answer on standard output, returns why it could
/// not.
namespace reelsd::app {

/// Serves until SIGINT or SIGTERM. Errors: whatever keeps the daemon from starting.
[[nodiscard]] result<void> serve(const settings& with, const log::logger& log);

[[nodiscard]] result<void> migrate(const settings& with, const log::logger& log);

/// Prints a line for each check; `internal` when one failed.
[[nodiscard]] result<void> run_doctor(const settings& with, const log::logger& log);

/// Asks the daemon of the same settings whether it is ready, over its own port. Prints nothing when
/// it is; errors say what it answered, or that it did not.
[[nodiscard]] result<void> check_health(const settings& with);

/// Asks each resolver for one post and prints what each answer showed; `internal` when none has it.
[[nodiscard]] result<void> resolve_by_hand(
    const resolve_command& asked, const settings& with, const log::logger& log);

/// Writes the whole database to a file, while the daemon runs. Nothing is left of a failure.
[[nodiscard]] result<void> back_up(
    const backup_command& asked, const settings& with, const log::logger& log);

/// Puts a backup into an empty database, or in the place of what is there, as a whole or not at
/// all. `conflict` while a daemon runs on it.
[[nodiscard]] result<void> restore(
    const restore_command& asked, const settings& with, const log::logger& log);

[[nodiscard]] result<void> create_account(
    const create_account_command& asked, const settings& with, const log::logger& log);
[[nodiscard]] result<void> limit_account(
    const limit_account_command& asked, const settings& with, const log::logger& log);
/// Prints the link. `conflict` for the first administrator's when there is one who can sign in.
[[nodiscard]] result<void> invite_account(
    const invite_account_command& asked, const settings& with, const log::logger& log);
/// Prints all data of the account as lines of JSON.
[[nodiscard]] result<void> export_account(
    const export_account_command& asked, const settings& with, const log::logger& log);
/// Asks a person unless it is told not to, deletes the account with all that it has and prints what
/// that was.
[[nodiscard]] result<void> delete_account(
    const delete_account_command& asked, const settings& with, const log::logger& log);
[[nodiscard]] result<void> create_token(
    const create_token_command& asked, const settings& with, const log::logger& log);
[[nodiscard]] result<void> list_tokens(
    const list_tokens_command& asked, const settings& with, const log::logger& log);
[[nodiscard]] result<void> revoke_token(
    const revoke_token_command& asked, const settings& with, const log::logger& log);

/// Puts the configured embedder in force and prints its name. `invalid_argument` when it is the
/// built-in one, which makes no vectors.
[[nodiscard]] result<void> use_embedder(const settings& with, const log::logger& log);

}  // namespace reelsd::app
