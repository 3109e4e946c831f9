#include "command_line.hpp"

#include "complaint.hpp"
#include "configuration_file.hpp"
#include "secret_file.hpp"
#include <reelsd/platform/source.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <span>
#include <sstream>

namespace reelsd::app {
namespace {

constexpr int exit_usage = 2;

/// The operator's words as CLI11 collects them, before anything is decoded.
struct collected {
    given_values flags;
    std::string config_file;
    std::string email;
    std::string account;
    std::string name;
    bool admin = false;
    std::string url;
    std::string strategy;
    std::string save_to;
    std::string backup_file;
    bool force = false;
    bool replace = false;
    bool yes = false;
    accounts::limit_changes limits;
    command wanted;
};

void add_settings(CLI::App& app, collected& into) {
    for (const auto& definition : setting_definitions()) {
        const std::string name{definition.name};
        const std::string default_text =
            *definition.default_value == '\0' ? "" : fmt::format(" ({})", definition.default_value);
        app.add_option_function<std::string>(
               "--" + name,
               [&into, name](const std::string& text) { into.flags[name] = text; },
               definition.help + default_text)
            ->type_name("")
            ->group("Settings");
    }
    app.add_option("--config", into.config_file, "read settings from this TOML or INI file")
        ->envname("REELSD_CONFIG")
        ->type_name("FILE")
        ->group("Settings");
}

CLI::App* add_command(
    CLI::App& app, const char* name, const char* help, command wanted, collected& into) {
    auto* const added = app.add_subcommand(name, help);
    added->fallthrough();
    added->callback([&into, wanted = std::move(wanted)] { into.wanted = wanted; });
    return added;
}

void add_account_invitation(CLI::App& account, collected& into) {
    auto* const invite = add_command(
        account,
        "invite",
        "print a link that sets the account's password, once; older links stop working",
        invite_account_command{},
        into);
    invite
        ->add_option(
            "--account",
            into.account,
            "the account's e-mail address or id; without it the link is the first administrator's, "
            "who chooses both address and password")
        ->type_name("E");
}

void add_account_data_commands(CLI::App& account, collected& into) {
    auto* const exported = add_command(
        account,
        "export",
        "print all data of an account as lines of JSON; the last one says end",
        export_account_command{},
        into);
    exported->add_option("--email", into.email, "its e-mail address")->required()->type_name("E");
    auto* const deleted = add_command(
        account,
        "delete",
        "delete an account with all that it has, for good",
        delete_account_command{},
        into);
    deleted->add_option("--email", into.email, "its e-mail address")->required()->type_name("E");
    deleted->add_flag("--yes", into.yes, "do not ask");
}

void add_account_commands(CLI::App& app, collected& into) {
    auto* const account =
        app.add_subcommand("account", "create, limit, export and delete accounts");
    account->require_subcommand(1)->fallthrough();

    auto* const create = add_command(
        *account, "create", "create an account; prints its id", create_account_command{}, into);
    create->add_option("--email", into.email, "its e-mail address")->required()->type_name("E");
    create->add_flag("--admin", into.admin, "an administrator");

    auto* const limits = add_command(
        *account,
        "limits",
        "set limits of an account; prints all of them",
        limit_account_command{},
        into);
    limits->add_option("--email", into.email, "its e-mail address")->required()->type_name("E");
    const auto add_limit = [limits](const char* flag, std::optional<int>& limit, int most) {
        limits->add_option(flag, limit)->check(CLI::Range(1, most))->type_name("N");
    };
    add_limit("--submissions-per-minute", into.limits.submissions_per_minute, 1'000'000);
    add_limit("--concurrent-jobs", into.limits.concurrent_jobs, 1'000'000);
    add_limit("--requests-per-minute", into.limits.requests_per_minute, 10'000'000);
    add_account_invitation(*account, into);
    add_account_data_commands(*account, into);
}

void add_token_commands(CLI::App& app, collected& into) {
    auto* const token = app.add_subcommand("token", "create, list and revoke API tokens");
    token->require_subcommand(1)->fallthrough();
    const auto add = [&](const char* name, const char* help, command wanted) {
        auto* const added = add_command(*token, name, help, std::move(wanted), into);
        added->add_option("--account", into.account, "the account's e-mail address or id")
            ->required()
            ->type_name("E");
        return added;
    };
    auto* const create =
        add("create", "create a token; prints it, this once", create_token_command{});
    create->add_option("--name", into.name, "what it is for")->required()->type_name("N");
    add("list", "list the account's tokens", list_tokens_command{});
    auto* const revoke = add("revoke", "revoke a token; effective at once", revoke_token_command{});
    revoke->add_option("--name", into.name, "its name")->required()->type_name("N");
}

void add_embedder_commands(CLI::App& app, collected& into) {
    auto* const embedder = app.add_subcommand("embedder", "choose which embedder makes vectors");
    embedder->require_subcommand(1)->fallthrough();
    add_command(
        *embedder,
        "use",
        "have vectors made again by the configured embedder, instead of a later one",
        use_embedder_command{},
        into);
}

void add_resolve_command(CLI::App& app, collected& into) {
    auto* const resolve = add_command(
        app,
        "resolve",
        "look a link up by hand: what each strategy sees, and why",
        resolve_command{},
        into);
    resolve->add_option("url", into.url, "the link of a post")->required()->type_name("URL");
    resolve->add_option("--strategy", into.strategy, "this one alone")
        ->check(CLI::IsMember(platform::known_resolvers()))
        ->type_name("S");
    resolve->add_option("--save", into.save_to, "keep the answers, redacted, in this folder")
        ->type_name("DIR");
}

void add_backup_commands(CLI::App& app, collected& into) {
    auto* const backup = add_command(
        app,
        "backup",
        "write the whole database to a file, while the daemon runs",
        backup_command{},
        into);
    backup->add_option("file", into.backup_file, "where to; - for standard output")
        ->required()
        ->type_name("FILE");
    backup->add_flag("--force", into.force, "overwrite the file if it is there");

    auto* const restore = add_command(
        app,
        "restore",
        "put a backup into the database; no daemon may run on it",
        restore_command{},
        into);
    restore->add_option("file", into.backup_file, "what `reelsd backup` wrote")
        ->required()
        ->type_name("FILE");
    restore->add_flag("--replace", into.replace, "in the place of the accounts and reels there");
}

void describe(CLI::App& app, collected& into) {
    app.name("reelsd");
    app.description(
        "Turns links of reels into JSON that says what is said, shown and played in them.");
    app.footer(
        "Every setting is also an environment variable (--data-dir: REELSD_DATA_DIR) and a key of\n"
        "the configuration file (data-dir). Flags win over the environment, it over the file.\n"
        "Passwords, keys and tokens may stand in files of their own, which a variable names\n"
        "(REELSD_DATABASE_PASSWORD_FILE).");
    app.set_version_flag("--version", "reelsd " REELSD_VERSION);
    app.require_subcommand(1);
    add_settings(app, into);
    add_command(app, "serve", "run the daemon", serve_command{}, into);
    add_command(app, "migrate", "bring the database's schema up to date", migrate_command{}, into);
    add_command(
        app,
        "healthcheck",
        "ask the daemon at the address of `listen` whether it is ready; 0: it is",
        healthcheck_command{},
        into);
    add_command(
        app, "doctor", "check what the daemon needs, one line each", doctor_command{}, into);
    add_resolve_command(app, into);
    add_backup_commands(app, into);
    add_account_commands(app, into);
    add_token_commands(app, into);
    add_embedder_commands(app, into);
}

/// What the operator typed goes into the command that the subcommand's callback has chosen.
void complete(collected& words) {
    struct visitor {
        const collected& words;

        void operator()(serve_command& /*unused*/) const {}
        void operator()(migrate_command& /*unused*/) const {}
        void operator()(doctor_command& /*unused*/) const {}
        void operator()(healthcheck_command& /*unused*/) const {}
        void operator()(use_embedder_command& /*unused*/) const {}
        void operator()(resolve_command& c) const {
            c.url = words.url;
            c.strategy = words.strategy;
            c.save_to = words.save_to;
        }
        void operator()(backup_command& c) const {
            c.file = words.backup_file;
            c.force = words.force;
        }
        void operator()(restore_command& c) const {
            c.file = words.backup_file;
            c.replace = words.replace;
        }
        void operator()(create_account_command& c) const {
            c.email = words.email;
            c.as = words.admin ? accounts::role::administrator : accounts::role::member;
        }
        void operator()(limit_account_command& c) const {
            c.email = words.email;
            c.changes = words.limits;
        }
        void operator()(invite_account_command& c) const { c.account = words.account; }
        void operator()(export_account_command& c) const { c.email = words.email; }
        void operator()(delete_account_command& c) const {
            c.email = words.email;
            c.is_confirmed = words.yes;
        }
        void operator()(create_token_command& c) const {
            c.account = words.account;
            c.name = words.name;
        }
        void operator()(list_tokens_command& c) const { c.account = words.account; }
        void operator()(revoke_token_command& c) const {
            c.account = words.account;
            c.name = words.name;
        }
    };
    std::visit(visitor{words}, words.wanted);
}

std::optional<std::string> variable(const std::string& name) {
    const char* const text =
        std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): no threads yet
    if (text == nullptr || *text == '\0') return std::nullopt;
    return text;
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

/// What the environment says, or nothing. An empty variable is an unset one, and so is one that
/// names an empty file: that is how compose files leave settings out. Errors: invalid_argument when
/// it says two things, or names a file that is no secret's.
result<std::optional<std::string>> value_in_environment(std::string_view setting_name) {
    auto given_by = environment_name(setting_name);
    auto text = variable(given_by);
    if (const auto other = other_environment_name(setting_name); !text && other) {
        given_by = *other;
        text = variable(given_by);
    }
    if (!is_secret(setting_name)) return text;
    const auto file_name = file_environment_name(setting_name);
    const auto file = variable(file_name);
    if (!file) return text;
    if (text) {
        return error{
            errc::invalid_argument,
            fmt::format("{} and {} are both set; only one may be", given_by, file_name)};
    }
    const auto secret = read_secret_file(setting_name, *file);
    if (!secret) return secret.error();
    if (secret->empty()) return std::optional<std::string>{};
    return std::optional{*secret};
}

/// The value that counts, or nothing when nobody gave one.
result<std::optional<std::string>> value_of(
    const setting_definition& definition, const given_values& flags, const given_values& file) {
    if (const auto flag = flags.find(definition.name); flag != flags.end()) {
        return std::optional{flag->second};
    }
    auto said = value_in_environment(definition.name);
    if (!said || *said) return said;
    if (const auto key = file.find(definition.name); key != file.end()) {
        return std::optional{key->second};
    }
    return said;
}

result<settings> decode_settings(const collected& words) {
    const auto file = read_configuration_file(chosen_configuration_file(words.config_file));
    if (!file) return file.error();
    settings decoded;
    for (const auto& definition : setting_definitions()) {
        if (*definition.default_value != '\0') {
            const auto usual = apply(definition, definition.default_value, decoded);
            if (!usual) return usual.error();
        }
        const auto given = value_of(definition, words.flags, *file);
        if (!given) return given.error();
        if (!*given) continue;
        const auto applied = apply(definition, **given, decoded);
        if (!applied) return applied.error();
    }
    const auto together = check_together(decoded);
    if (!together) return together.error();
    return decoded;
}

}  // namespace

std::variant<invocation, int> read_command_line(int argument_count, char** arguments) {
    collected words;
    CLI::App app;
    describe(app, words);
    try {
        app.parse(argument_count, arguments);
    } catch (const CLI::ParseError& stop) {
        return app.exit(stop) == 0 ? 0 : exit_usage;
    }
    complete(words);
    hide_secrets({arguments, static_cast<std::size_t>(argument_count)});
    auto with = decode_settings(words);
    if (!with) {
        complain(with.error().detail());
        return exit_usage;
    }
    return invocation{.wanted = std::move(words.wanted), .with = std::move(*with)};
}

}  // namespace reelsd::app
