#include "commands.hpp"
#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/platform/source.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::app {
namespace {

constexpr int exit_usage = 2;

constexpr std::size_t help_columns = 80;
constexpr std::size_t help_name_columns = 32;  ///< For the longest name, indented.

constexpr const char* footer =
    "Every setting is also an environment variable (--data-dir: REELSD_DATA_DIR) and\n"
    "a key of the configuration file (data-dir). Flags override the environment,\n"
    "which overrides the file. Keys, tokens and passwords can be files that a\n"
    "variable names (REELSD_GEMINI_API_KEY_FILE). See reelsd.conf(5).";

/// The command line, with settings that are not decoded yet.
struct parsed_line {
    command chosen;
    given_values flags;
    std::string config_file;
};

/// Breaks `text` into lines of the width of the help's right column.
std::string wrapped(std::string_view text) {
    constexpr std::size_t line_max = help_columns - help_name_columns;
    std::string lines;
    while (text.size() > line_max) {
        auto end = text.rfind(' ', line_max);
        if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
        lines.append(text.substr(0, end)).push_back('\n');
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines.append(text);
}

std::string help_of(const setting_definition& definition) {
    std::string help{definition.help};
    if (!definition.other_variable.empty()) {
        help += fmt::format(" Also read from {}.", definition.other_variable);
    }
    if (!definition.value.default_value.empty()) {
        help += fmt::format(" [{}]", definition.value.default_value);
    }
    return wrapped(help);
}

void add_settings(CLI::App& app, parsed_line& line) {
    app.add_option("--config", line.config_file, wrapped("Configuration file, in TOML or INI."))
        ->envname("REELSD_CONFIG")
        ->type_name("FILE");
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            const std::string name{definition.name};
            app.add_option_function<std::string>(
                   "--" + name,
                   [&line, name](const std::string& text) { line.flags[name] = text; },
                   help_of(definition))
                ->type_name("")
                ->group(std::string{group.title});
        }
    }
}

/// Adds a subcommand. Its options fill the returned command, which lives as long as `parent`.
/// `chosen` is set to it when the command line names it.
template <class Command>
std::pair<CLI::App&, Command&> add_command(
    CLI::App& parent, command& chosen, const char* name, const char* help) {
    const auto filled = std::make_shared<Command>();
    auto* const added = parent.add_subcommand(name, wrapped(help));
    added->fallthrough();
    added->callback([filled, &chosen] { chosen = *filled; });
    return {*added, *filled};
}

CLI::App& add_family(CLI::App& app, const char* name, const char* help) {
    auto* const family = app.add_subcommand(name, wrapped(help));
    family->require_subcommand(1)->fallthrough();
    return *family;
}

void add_email(CLI::App& subcommand, std::string& email) {
    subcommand.add_option("--email", email, "E-mail address of the account")
        ->required()
        ->type_name("ADDRESS");
}

CLI::Option& add_account(CLI::App& subcommand, std::string& account) {
    return *subcommand.add_option("--account", account, "E-mail address or id of the account")
                ->type_name("ACCOUNT");
}

void add_account_commands(CLI::App& app, command& chosen) {
    auto& family = add_family(app, "account", "Create, limit, export and delete accounts");

    auto [create, created] = add_command<create_account_command>(
        family, chosen, "create", "Create an account and print its id");
    add_email(create, created.email);
    create.add_flag("--admin", created.is_administrator, "Make it an administrator");

    auto [limits, limited] = add_command<limit_account_command>(
        family, chosen, "limits", "Set limits of an account and print all of them");
    add_email(limits, limited.email);
    const auto add_limit = [&limits = limits](
                               const char* flag, std::optional<int>& limit, int most) {
        limits.add_option(flag, limit)->check(CLI::Range(1, most))->type_name("N");
    };
    add_limit("--submissions-per-minute", limited.changes.submissions_per_minute, 1'000'000);
    add_limit("--concurrent-jobs", limited.changes.concurrent_jobs, 1'000'000);
    add_limit("--requests-per-minute", limited.changes.requests_per_minute, 10'000'000);
    add_limit("--queued-jobs", limited.changes.queued_jobs, 1'000'000);
    limits.add_option("--monthly-budget-usd", limited.changes.monthly_budget_usd)
        ->check(CLI::Range(0.0, 1e9))
        ->type_name("N");

    auto [invite, invited] = add_command<invite_account_command>(
        family,
        chosen,
        "invite",
        "Print a link that sets the account's password once; older links stop working");
    add_account(invite, invited.account)
        .description(
            wrapped("E-mail address or id of the account; without it, the link is for the first "
                    "administrator, who chooses both address and password"));

    auto [exports, exported] = add_command<export_account_command>(
        family,
        chosen,
        "export",
        "Print all data of an account as JSON lines; the last one says end");
    add_email(exports, exported.email);

    auto [deletes, deleted] = add_command<delete_account_command>(
        family, chosen, "delete", "Delete an account and all its data, irrevocably");
    add_email(deletes, deleted.email);
    deletes.add_flag("--yes", deleted.is_confirmed, "Do not ask for confirmation");
}

void add_token_commands(CLI::App& app, command& chosen) {
    auto& family = add_family(app, "token", "Create, list and revoke API tokens");

    auto [create, created] = add_command<create_token_command>(
        family, chosen, "create", "Create a token and print it once");
    add_account(create, created.account).required();
    create.add_option("--name", created.name, "What it is for")->required()->type_name("NAME");

    auto [list, listed] =
        add_command<list_tokens_command>(family, chosen, "list", "List the account's tokens");
    add_account(list, listed.account).required();

    auto [revoke, revoked] = add_command<revoke_token_command>(
        family, chosen, "revoke", "Revoke a token, effective at once");
    add_account(revoke, revoked.account).required();
    revoke.add_option("--name", revoked.name, "Its name")->required()->type_name("NAME");
}

void add_resolve_command(CLI::App& app, command& chosen) {
    auto [resolve, request] = add_command<resolve_command>(
        app, chosen, "resolve", "Resolve a link and print the outcome of each resolver");
    resolve.add_option("url", request.url, "Link of a post")->required()->type_name("URL");
    resolve.add_option("--strategy", request.strategy, "This resolver only")
        ->check(CLI::IsMember(platform::known_resolvers()))
        ->type_name("NAME");
    resolve.add_option("--save", request.save_to, "Keep the redacted responses in this directory")
        ->type_name("DIR");
}

void add_backup_commands(CLI::App& app, command& chosen) {
    auto [backup, saved] = add_command<backup_command>(
        app, chosen, "backup", "Write the whole database to a file, while the daemon runs");
    backup.add_option("file", saved.file, "File to write; - is standard output")
        ->required()
        ->type_name("FILE");
    backup.add_flag("--force", saved.force, "Overwrite an existing file");

    auto [restore, restored] = add_command<restore_command>(
        app, chosen, "restore", "Restore a backup while no daemon uses the database");
    restore.add_option("file", restored.file, "A file that reelsd backup wrote")
        ->required()
        ->type_name("FILE");
    restore.add_flag("--replace", restored.replace, "Replace the accounts and reels there");
}

void describe(CLI::App& app, parsed_line& line) {
    app.name("reelsd");
    app.description("Turns links of reels into JSON: what is said, shown, written and played.");
    app.get_formatter()->column_width(help_name_columns);
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", "reelsd " REELSD_VERSION)->description("Print the version");
    app.require_subcommand(1);
    add_settings(app, line);
    // For the subcommands, which inherit it.
    app.footer("Settings such as --data-dir are accepted as well; reelsd --help lists them.");
    auto& chosen = line.chosen;
    add_command<serve_command>(app, chosen, "serve", "Run the daemon");
    add_command<migrate_command>(app, chosen, "migrate", "Upgrade the database's schema");
    add_command<healthcheck_command>(
        app, chosen, "healthcheck", "Exit with 0 if the daemon at listen is ready");
    add_command<doctor_command>(
        app, chosen, "doctor", "Check what the daemon needs and print a line for each");
    add_command<settings_command>(app, chosen, "settings", "Print all settings as JSON");
    add_resolve_command(app, chosen);
    add_backup_commands(app, chosen);
    add_account_commands(app, chosen);
    add_token_commands(app, chosen);
    auto& embedder = add_family(app, "embedder", "Choose the embedder that computes vectors");
    add_command<use_embedder_command>(
        embedder, chosen, "use", "Recompute all vectors with the configured embedder");
    app.footer(footer);
}

bool is_secret(std::string_view setting_name) {
    const auto* const definition = find_setting(setting_name);
    return definition != nullptr && definition->value.shown == exposure::secret;
}

/// Overwrites the values of secret flags where the process list shows them.
void hide_secrets(std::span<char* const> arguments) {
    const auto hide = [](char* text) {
        for (; *text != '\0'; ++text) *text = '*';
    };
    for (std::size_t at = 1; at < arguments.size(); ++at) {
        const std::string_view word{arguments[at]};
        if (!word.starts_with("--")) continue;
        const auto name = word.substr(2, word.find('=') - 2);
        if (!is_secret(name)) continue;
        if (word.find('=') != std::string_view::npos) {
            hide(arguments[at] + 2 + name.size() + 1);
        } else if (at + 1 < arguments.size()) {
            hide(arguments[at + 1]);
        }
    }
}

}  // namespace

void print_error(std::string_view why) {
    const auto priority =
        log::is_journal(STDERR_FILENO) ? log::journal_priority(log::level::error) : "";
    fmt::print(stderr, "{}reelsd: {}\n", priority, why);
}

std::variant<invocation, int> read_command_line(int argument_count, char** arguments) {
    parsed_line line;
    CLI::App app;
    describe(app, line);
    try {
        app.parse(argument_count, arguments);
    } catch (const CLI::ParseError& stop) {
        return app.exit(stop) == 0 ? 0 : exit_usage;
    }
    hide_secrets({arguments, static_cast<std::size_t>(argument_count)});
    auto config = read_settings(line.flags, line.config_file);
    if (!config) {
        print_error(config.error().detail());
        return exit_usage;
    }
    return invocation{.chosen = std::move(line.chosen), .config = std::move(*config)};
}

}  // namespace reelsd::app
