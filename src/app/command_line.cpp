#include "commands.hpp"
#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/nearest.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/platform/source.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace reelsd::app {
namespace {

constexpr int exit_usage = 2;

constexpr std::size_t help_columns = 80;
constexpr std::size_t help_name_columns = 32;  ///< For the longest name, indented.

constexpr const char* footer =
    "reelsd --help-all lists the settings; reelsd COMMAND --help explains a command.\n"
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
    app.add_option("--config", line.config_file, wrapped("Configuration file, in TOML."))
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

void add_limit(
    CLI::App& limits, const char* flag, accounts::account_changes::limit& limit, int most,
    const char* help) {
    const auto read = [&limit, flag, most](const std::string& text) {
        limit.emplace();
        if (text == "default") return;
        *limit = parse_number<int>(text);
        if (*limit && **limit >= 1 && **limit <= most) return;
        const auto allowed = fmt::format("neither default nor a whole number from 1 to {}", most);
        throw CLI::ValidationError{flag, fmt::format("{} is {}", text, allowed)};
    };
    limits
        .add_option_function<std::string>(
            flag, read, wrapped(fmt::format("{}: 1 to {}, or default", help, most)))
        ->type_name("N");
}

void add_budget(CLI::App& limits, accounts::account_changes& changes) {
    constexpr auto flag = "--monthly-budget-usd";
    const auto read = [&budget = changes.monthly_budget_usd](const std::string& text) {
        budget.emplace();
        if (text == "none") return;
        const auto dollars = parse_number<double>(text);
        if (!dollars || !(*dollars >= 0 && *dollars <= 1e9)) {
            throw CLI::ValidationError{
                flag, text + " is neither none nor a number from 0 to 1000000000"};
        }
        *budget = fmt::format("{:.6f}", *dollars);
    };
    limits
        .add_option_function<std::string>(
            flag, read, wrapped("Cost of models in US dollars: 0 or more, or none"))
        ->type_name("N");
}

void add_account_commands(CLI::App& app, command& chosen) {
    auto& family = add_family(app, "account", "Create, list, limit, export and delete accounts");

    auto [create, created] = add_command<create_account_command>(
        family, chosen, "create", "Create an account and print its id");
    add_email(create, created.email);
    create.add_flag("--admin", created.is_administrator, "Make it an administrator");

    add_command<list_accounts_command>(family, chosen, "list", "List all accounts, one per line");

    auto [limits, limited] = add_command<limit_account_command>(
        family, chosen, "limits", "Set the given limits of an account, and print all of them");
    add_email(limits, limited.email);
    auto& changes = limited.changes;
    add_limit(
        limits,
        "--submissions-per-minute",
        changes.submissions_per_minute,
        1'000'000,
        "Submissions and questions");
    add_limit(
        limits,
        "--concurrent-jobs",
        changes.concurrent_jobs,
        1'000'000,
        "Reels pending or processing");
    add_limit(
        limits, "--requests-per-minute", changes.requests_per_minute, 10'000'000, "Other requests");
    add_limit(
        limits, "--queued-jobs", changes.queued_jobs, 1'000'000, "Reels that wait in the queue");
    add_budget(limits, changes);

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
    create.add_option("--scope", created.scope, wrapped("all (default), read or submit"))
        ->check(CLI::IsMember({"all", "read", "submit"}))
        ->type_name("SCOPE");
    const std::map<std::string, std::int64_t> units{{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    const auto longest = static_cast<std::int64_t>(accounts::token_life_max.count());
    create
        .add_option(
            "--expires",
            created.valid_for_seconds,
            wrapped("Validity, such as 12h or 90d; without it, the token does not expire"))
        ->transform(CLI::AsNumberWithUnit{units, CLI::AsNumberWithUnit::UNIT_REQUIRED})
        ->check(CLI::Range(std::int64_t{1}, longest))
        ->type_name("TIME");

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

/// Prints the commands first, and the settings only with --help-all.
class help_formatter final : public CLI::Formatter {
public:
    help_formatter() {
        column_width(help_name_columns);
        label("SUBCOMMAND", "COMMAND");
    }

    std::string make_help(
        const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        return make_description(app) + "\n" + make_usage(app, std::move(name)) +
               make_subcommands(app, CLI::AppFormatMode::Normal) + make_positionals(app) +
               (mode == CLI::AppFormatMode::All ? make_groups(app, mode) : usual_options(app)) +
               fmt::format("\n{}\n", app->get_footer());
    }

private:
    [[nodiscard]] std::string usual_options(const CLI::App* app) const {
        const auto options = app->get_options([](const CLI::Option* option) {
            return option->nonpositional() && option->get_group() == "Options";
        });
        return options.empty() ? "" : make_group("Options", false, options);
    }
};

/// Names a word that is neither a command nor an option, and what was probably meant.
std::string usage_error(const CLI::App& app, const CLI::ParseError& why) {
    const CLI::App* command = &app;
    std::string path = "reelsd";
    std::vector<std::string> known;
    const auto add_options = [&known](const CLI::App& from) {
        for (const auto* const option : from.get_options()) {
            for (const auto& name : option->get_lnames()) known.push_back("--" + name);
        }
    };
    add_options(app);
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        path += " " + command->get_name();
        add_options(*command);
    }
    const auto next = command->get_subcommands(nullptr);
    for (const auto* const subcommand : next) known.push_back(subcommand->get_name());
    const auto unexpected = app.remaining(true);
    std::string reason = why.what();
    if (!unexpected.empty()) {
        const auto& word = unexpected.front();
        const auto close = nearest(word.substr(0, word.find('=')), known);
        reason = fmt::format(
            "\"{}\" is not a command or a setting{}",
            word,
            close.empty() ? "" : fmt::format("; did you mean \"{}\"?", close));
    } else if (dynamic_cast<const CLI::RequiredError*>(&why) != nullptr && !next.empty()) {
        reason = "a command is missing";
    }
    return fmt::format("{}\nSee: {} --help", reason, path);
}

void describe(CLI::App& app, parsed_line& line) {
    app.name("reelsd");
    app.description("Turns links of reels into JSON: what is said, shown, written and played.");
    app.formatter(std::make_shared<help_formatter>());
    app.set_help_flag("-h,--help", "Print this help");
    app.set_help_all_flag("--help-all", "Print this help with all settings");
    app.set_version_flag("--version", "reelsd " REELSD_VERSION)->description("Print the version");
    app.require_subcommand(1);
    add_settings(app, line);
    // For the subcommands, which inherit it.
    app.footer("Settings such as --data-dir are accepted as well; reelsd --help-all lists them.");
    auto& chosen = line.chosen;
    add_command<serve_command>(app, chosen, "serve", "Run the daemon");
    add_command<migrate_command>(app, chosen, "migrate", "Upgrade the database's schema");
    add_command<healthcheck_command>(
        app, chosen, "healthcheck", "Exit with 0 if the daemon at listen is ready");
    add_command<doctor_command>(
        app, chosen, "doctor", "Check what the daemon needs and print one line per check");
    add_command<settings_command>(app, chosen, "settings", "Print all settings as JSON");
    add_resolve_command(app, chosen);
    add_backup_commands(app, chosen);
    add_account_commands(app, chosen);
    add_token_commands(app, chosen);
    auto& embedder = add_family(app, "embedder", "Choose the embedder that computes vectors");
    add_command<use_embedder_command>(
        embedder, chosen, "use", "Activate the configured embedder and recompute all vectors");
    app.footer(footer);
}

bool is_secret(std::string_view setting_name) {
    const auto* const definition = find_setting(setting_name);
    return definition != nullptr && definition->value.shown == exposure::secret;
}

/// The first flag of a setting that the command does not use, if a reader may take the setting for
/// a limit of the account; else empty.
std::string flag_without_effect(const parsed_line& line) {
    if (!std::holds_alternative<limit_account_command>(line.chosen)) return {};
    constexpr std::array<std::string_view, 10> used{
        "data-dir",
        "database-url",
        "database-password",
        "postgres-bin-dir",
        "log-level",
        "log-format",
        "log-file",
        "submissions-per-minute",
        "concurrent-jobs",
        "requests-per-minute"};
    for (const auto& [name, value] : line.flags) {
        if (std::ranges::find(used, name) == used.end()) return name;
    }
    return {};
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
        const bool is_unknown = app.get_subcommands().empty() && !app.remaining().empty();
        if (stop.get_exit_code() == 0 && !is_unknown) return app.exit(stop);
        print_error(usage_error(app, stop));
        return exit_usage;
    }
    if (const auto name = flag_without_effect(line); !name.empty()) {
        print_error(fmt::format(
            "--{} is a setting of the daemon and no limit of an account\n"
            "See: reelsd account limits --help",
            name));
        return exit_usage;
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
