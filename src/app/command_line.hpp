#pragma once

#include "settings.hpp"
#include <reelsd/domain/accounts/account_store.hpp>

#include <optional>
#include <string>
#include <variant>

/// What the command line, the environment and the configuration file ask for, as values.
namespace reelsd::app {

struct serve_command {};
struct migrate_command {};
struct doctor_command {};
struct healthcheck_command {};
struct resolve_command {
    std::string url;
    std::string strategy;  ///< One of the resolvers; empty: all that are configured.
    std::string save_to;   ///< A folder for redacted answers; empty: none are kept.
};
struct backup_command {
    std::string file;  ///< "-": standard output.
    bool force = false;
};
struct restore_command {
    std::string file;
    bool replace = false;  ///< What the database has.
};
struct create_account_command {
    std::string email;
    accounts::role as = accounts::role::member;
};
struct limit_account_command {
    std::string email;
    accounts::limit_changes changes;
};
struct invite_account_command {
    std::string account;  ///< E-mail address or id; empty: the first administrator's to be.
};
struct export_account_command {
    std::string email;
};
struct delete_account_command {
    std::string email;
    bool is_confirmed = false;  ///< Nobody is asked.
};
struct create_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
};
struct list_tokens_command {
    std::string account;  ///< E-mail address or id.
};
struct revoke_token_command {
    std::string account;  ///< E-mail address or id.
    std::string name;
};
/// Puts the configured embedder in force.
struct use_embedder_command {};
using command = std::variant<
    serve_command, migrate_command, doctor_command, healthcheck_command, resolve_command,
    backup_command, restore_command, create_account_command, limit_account_command,
    invite_account_command, export_account_command, delete_account_command, create_token_command,
    list_tokens_command, revoke_token_command, use_embedder_command>;

struct invocation {
    command wanted;
    settings with;
};

/// The invocation, or the exit code of a program that has nothing left to do: 0 after `--help` or
/// `--version`, 2 after a complaint on standard error. Reads the environment.
[[nodiscard]] std::variant<invocation, int> read_command_line(int argument_count, char** arguments);

}  // namespace reelsd::app
