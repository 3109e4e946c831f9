#include "commands.hpp"

#include "analyzers.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/jobs/vector_store.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <utility>

// Commands that consist of one step.

namespace reelsd::app {
namespace {

using namespace std::chrono_literals;

/// A healthy daemon answers in milliseconds; /readyz waits up to 2 s for its database. Container
/// engines allow this program about 10 s.
constexpr auto healthcheck_time_max = 5s;
/// Addresses that the daemon binds, as opposed to the public address.
std::string local_origin(settings config) {
    config.public_url.clear();
    const auto origin = public_origin(config, config.listen.port);
    // In the form of trusted origins: without the scheme's default port.
    const auto parsed = net::url::parse(origin);
    return parsed ? parsed->origin() : origin;
}

json to_json(const setting_definition& definition, std::string_view group) {
    return {
        {"name", definition.name},
        {"group", group},
        {"variable", environment_name(definition.name)},
        {"other_variable", definition.other_variable},
        {"type", name_of(definition.value.type)},
        {"default", definition.value.default_value},
        {"allowed", accepted_values(definition.value)},
        {"secret", definition.value.shown == exposure::secret},
        {"help", definition.help}};
}

/// Short, because a user is waiting.
constexpr auto answer_time_max = 10s;

deadline answer_by() {
    return deadline::after(answer_time_max);
}

/// Of accounts without their own limit, as in migrations/functions/decide_submissions.sql.
constexpr int queued_jobs_default = 1000;

void print_limit(std::string_view name, const std::optional<int>& own, int usual) {
    fmt::print("{} {}{}\n", name, own.value_or(usual), own ? "" : " (default)");
}

std::string counted(std::int64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string state_of(const accounts::token_summary& token) {
    if (token.revoked_at) return "revoked " + to_rfc3339(*token.revoked_at);
    if (!token.expires_at) return "valid";
    return (token.is_expired ? "expired " : "valid until ") + to_rfc3339(*token.expires_at);
}

/// Another data directory has another private database.
error no_such_account(std::string_view name) {
    return error{
        errc::not_found,
        fmt::format(
            "no account {} in this database; --data-dir or --database-url must be the server's",
            name)};
}

/// `name`: e-mail address or id.
awaitable<result<account_id>> find_account(db::pool& pool, std::string name, deadline by) {
    accounts::account_store store{pool};
    const auto id = co_await store.find(name, by);
    if (!id) co_return no_such_account(name);
    co_return id;
}

awaitable<result<void>> make_active(db::pool& pool, std::string name) {
    jobs::vector_store vectors{pool};
    co_await vectors.make_active(name, answer_by());
    fmt::print("{}\n", name);
    co_return result<void>{};
}

/// Returns false if the text cannot be written: a full disk, or a reader that has closed its end.
bool write_out(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

/// Requires the address to be typed a second time.
result<void> confirm_deletion(const std::string& email, const retention::data_counts& counts) {
    fmt::print(
        stderr,
        "This permanently deletes {} with {} reels, {} model calls and {} tokens.\n"
        "Type the e-mail address to continue: ",
        email,
        counts.jobs,
        counts.calls,
        counts.tokens);
    std::fflush(stderr);
    std::string typed;
    constexpr std::size_t typed_bytes_max = 300;
    for (int c = std::getchar(); c != EOF && c != '\n' && typed.size() < typed_bytes_max;
         c = std::getchar()) {
        typed.push_back(static_cast<char>(c));
    }
    if (typed == email) return {};
    return error{errc::invalid_argument, "that is not the address: nothing was deleted"};
}

/// Runs concurrently with the daemons' own erasure, which finishes what is left if this stops.
awaitable<void> empty_account(db::pool& pool, account_id account) {
    retention::retention_store store{pool};
    retention::step_size size;
    for (;;) {
        const auto began = monotonic_clock::now();
        const auto step = co_await store.erase_account(account, size.rows(), answer_by());
        if (!step.account || step.is_gone) co_return;
        size.took(monotonic_clock::now() - began, step.is_full(size.rows()));
        co_await async::pause(size.pause());
    }
}

}  // namespace

result<void> execute(const migrate_command&, const settings& config, const log::logger& log) {
    const auto store = database::open(config, log, database::upgrade::yes);
    if (!store) return store.error();
    const auto applied = (*store)->migrate(log);
    if (!applied) return applied.error();
    fmt::print("{} migrations applied, the schema is up to date\n", *applied);
    return {};
}

result<void> execute(const healthcheck_command&, const settings& config, const log::logger&) {
    if (config.listen.port == 0) {
        return error{errc::invalid_argument, "listen has port 0: only the log has the actual port"};
    }
    const auto origin = local_origin(config);
    const net::http_client client{
        {.policy = {.trusted_origins = {origin}}, .any_certificate = true}};
    const auto answer = client.send(
        {.url = origin + "/readyz"}, deadline::after(healthcheck_time_max), std::stop_token{});
    if (!answer) {
        const auto& why = answer.error();
        return error{why.code(), fmt::format("{} does not answer: {}", origin, why.detail())};
    }
    if (answer->status() == 200) return {};
    return error{
        errc::database_unavailable,
        fmt::format("{} is not ready: {} {}", origin, answer->status(), answer->body)};
}

result<void> execute(const settings_command&, const settings&, const log::logger&) {
    auto list = json::array();
    for (const auto& group : setting_groups()) {
        for (const auto& definition : group.settings) {
            list.push_back(to_json(definition, group.title));
        }
    }
    fmt::print("{}\n", list.dump(2));
    return {};
}

result<void> execute(const use_embedder_command&, const settings& config, const log::logger& log) {
    const auto embedder = make_dense_embedder(config);
    if (!embedder) return embedder.error();
    if (!*embedder) {
        return error{
            errc::invalid_argument, "embedder is local, which makes no vectors; set another one"};
    }
    const std::string name{(*embedder)->name()};
    return with_database(config, log, [&name](db::pool& pool) { return make_active(pool, name); });
}

database_work execute_on(db::pool& pool, create_account_command request, const settings&) {
    if (const auto valid = accounts::check_email(request.email); !valid) co_return valid.error();
    accounts::account_store store{pool};
    const auto role =
        request.is_administrator ? accounts::role::administrator : accounts::role::member;
    const auto id = co_await store.create(request.email, role, answer_by());
    if (!id) co_return id.error();
    fmt::print("{}\n", id->value);
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, create_token_command request, const settings&) {
    if (const auto valid = accounts::check_token_name(request.name); !valid)
        co_return valid.error();
    const auto by = answer_by();
    const auto id = co_await find_account(pool, request.account, by);
    if (!id) co_return id.error();
    accounts::account_store store{pool};
    accounts::token_options options{.scope = enum_from<token_scope>(request.scope).value()};
    if (request.valid_for_seconds)
        options.valid_for = std::chrono::seconds{*request.valid_for_seconds};
    const auto token = co_await store.create_token(*id, request.name, by, options);
    if (!token) co_return token.error();
    fmt::print("{}\n", token->token);
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, list_accounts_command, const settings&) {
    accounts::account_store store{pool};
    accounts::account_filter filter;
    do {
        const auto page = co_await store.list(filter, answer_by());
        for (const auto& account : page.accounts) {
            fmt::print(
                "{}  {}  {}  {}  created {}  {}\n",
                account.id.value,
                account.email,
                account.is_admin ? "administrator" : "member",
                account.disabled_at ? "disabled" : "enabled",
                to_rfc3339(account.created_at),
                counted(account.reels, "reel"));
        }
        filter.after = page.next;
    } while (filter.after);
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, limit_account_command request, const settings& config) {
    const auto by = answer_by();
    const auto id = co_await find_account(pool, request.email, by);
    if (!id) co_return id.error();
    accounts::account_store store{pool};
    const auto changed = co_await store.change(*id, std::move(request.changes), by);
    if (!changed) co_return changed.error();
    const auto page = co_await store.list({.only = *id}, by);
    const auto& limits = page.accounts.at(0).limits;
    print_limit(
        "submissions-per-minute", limits.submissions_per_minute, config.submissions_per_minute);
    print_limit("concurrent-jobs", limits.concurrent_jobs, config.concurrent_jobs);
    print_limit("requests-per-minute", limits.requests_per_minute, config.requests_per_minute);
    print_limit("queued-jobs", limits.queued_jobs, queued_jobs_default);
    fmt::print("monthly-budget-usd {}\n", limits.monthly_budget_usd.value_or("none"));
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, invite_account_command request, const settings& config) {
    const auto by = answer_by();
    accounts::session_store sessions{pool};
    std::optional<account_id> invitee;
    if (!request.account.empty()) {
        const auto id = co_await find_account(pool, request.account, by);
        if (!id) co_return id.error();
        invitee = *id;
    } else if (co_await sessions.has_administrator(by)) {
        co_return error{
            errc::conflict, "an administrator already exists; name an account with --account"};
    }
    const auto invitation = co_await sessions.invite(invitee, by);
    const auto origin = public_origin(config, config.listen.port);
    fmt::print("{}\n", dashboard::invitation_link(origin, invitation.secret));
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, export_account_command request, const settings&) {
    const auto id = co_await find_account(pool, request.email, answer_by());
    if (!id) co_return id.error();
    exports::account_export lines{pool, *id};
    bool is_written = true;
    while (is_written) {
        const auto page = co_await lines.next(answer_by());
        if (!page) break;
        is_written = write_out(*page);
    }
    if (is_written && std::fflush(stdout) == 0) co_return result<void>{};
    co_return error{
        errc::storage_failed,
        fmt::format("the export was cut after {} lines: it could not be written", lines.lines())};
}

database_work execute_on(db::pool& pool, delete_account_command request, const settings&) {
    // No ids here: a mistyped number would be another account.
    if (request.email.find('@') == std::string::npos) co_return no_such_account(request.email);
    const auto id = co_await find_account(pool, request.email, answer_by());
    if (!id) co_return id.error();
    retention::retention_store store{pool};
    const auto counts = co_await store.count_data(*id, answer_by());
    if (!request.is_confirmed) {
        const auto confirmed = confirm_deletion(request.email, counts);
        if (!confirmed) co_return confirmed.error();
    }
    const auto begun = co_await store.begin_erasure(*id, std::nullopt, answer_by());
    if (!begun) co_return begun.error();
    try {
        co_await empty_account(pool, *id);
    } catch (const db::failure& failure) {
        co_return error{
            failure.code(),
            fmt::format(
                "{} is locked out already, and any daemon deletes what is left; this command "
                "stopped: {}",
                request.email,
                failure.what())};
    }
    fmt::print(
        "deleted {}: {}, {}, {}\n",
        request.email,
        counted(counts.jobs, "reel"),
        counted(counts.calls, "model call"),
        counted(counts.tokens, "token"));
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, list_tokens_command request, const settings&) {
    const auto by = answer_by();
    const auto id = co_await find_account(pool, request.account, by);
    if (!id) co_return id.error();
    accounts::account_store store{pool};
    for (const auto& token : co_await store.tokens(*id, by)) {
        const auto used =
            token.last_used_at ? to_rfc3339(*token.last_used_at) : std::string{"never"};
        fmt::print(
            "{}...  created {}  used {}  {}  {}  {}\n",
            token.prefix,
            to_rfc3339(token.created_at),
            used,
            name_of(token.scope),
            state_of(token),
            token.name);
    }
    co_return result<void>{};
}

database_work execute_on(db::pool& pool, revoke_token_command request, const settings&) {
    const auto by = answer_by();
    const auto id = co_await find_account(pool, request.account, by);
    if (!id) co_return id.error();
    accounts::account_store store{pool};
    co_return co_await store.revoke_token(*id, request.name, by);
}

}  // namespace reelsd::app
