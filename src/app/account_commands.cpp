#include "commands.hpp"
#include "database.hpp"
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <optional>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A person waits.
constexpr auto answer_time_max = 10s;

std::string limit_text(const std::optional<int>& limit) {
    return limit ? std::to_string(*limit) : "default";
}

/// As the store's, with what a person can do about it: another folder has another private database.
asio::awaitable<result<account_id>> find_account(
    accounts::account_store& store, const std::string& who, deadline by) {
    auto id = co_await store.find(who, by);
    if (id || id.error().code() != errc::not_found) co_return id;
    co_return error{
        errc::not_found,
        fmt::format(
            "there is no such account as {} in this database; --data-dir or --database-url must "
            "be the server's",
            who)};
}

asio::awaitable<result<void>> create_account_on(db::pool& pool, create_account_command asked) {
    accounts::account_store store{pool};
    const auto role =
        asked.is_administrator ? accounts::role::administrator : accounts::role::member;
    const auto id = co_await store.create(asked.email, role, deadline::after(answer_time_max));
    if (!id) co_return id.error();
    fmt::print("{}\n", id->value);
    co_return result<void>{};
}

asio::awaitable<result<void>> limit_account_on(db::pool& pool, limit_account_command asked) {
    accounts::account_store store{pool};
    const auto by = deadline::after(answer_time_max);
    const auto id = co_await find_account(store, asked.email, by);
    if (!id) co_return id.error();
    const auto limits = co_await store.change_limits(*id, asked.changes, by);
    fmt::print("submissions-per-minute {}\n", limit_text(limits.submissions_per_minute));
    fmt::print("concurrent-jobs {}\n", limit_text(limits.concurrent_jobs));
    fmt::print("requests-per-minute {}\n", limit_text(limits.requests_per_minute));
    fmt::print("queued-jobs {}\n", limit_text(limits.queued_jobs));
    fmt::print("monthly-budget-usd {}\n", limits.monthly_budget_usd.value_or("none"));
    co_return result<void>{};
}

asio::awaitable<result<void>> invite_account_on(
    db::pool& pool, invite_account_command asked, const settings& with) {
    accounts::account_store store{pool};
    const auto by = deadline::after(answer_time_max);
    accounts::session_store sessions{pool};
    std::optional<account_id> invitee;
    if (!asked.account.empty()) {
        const auto id = co_await find_account(store, asked.account, by);
        if (!id) co_return id.error();
        invitee = *id;
    } else if (co_await sessions.has_administrator(by)) {
        co_return error{
            errc::conflict, "there is an administrator already; name an account with --account"};
    }
    const auto invited = co_await sessions.invite(invitee, by);
    fmt::print(
        "{}\n", dashboard::invitation_link(public_origin(with, with.listen.port), invited.secret));
    co_return result<void>{};
}

asio::awaitable<result<void>> create_token_on(db::pool& pool, create_token_command asked) {
    accounts::account_store store{pool};
    const auto by = deadline::after(answer_time_max);
    const auto id = co_await find_account(store, asked.account, by);
    if (!id) co_return id.error();
    const auto token = co_await store.create_token(*id, asked.name, by);
    if (!token) co_return token.error();
    fmt::print("{}\n", token->token);
    co_return result<void>{};
}

asio::awaitable<result<void>> list_tokens_on(db::pool& pool, list_tokens_command asked) {
    accounts::account_store store{pool};
    const auto by = deadline::after(answer_time_max);
    const auto id = co_await find_account(store, asked.account, by);
    if (!id) co_return id.error();
    for (const auto& token : co_await store.tokens(*id, by)) {
        const auto used =
            token.last_used_at ? to_rfc3339(*token.last_used_at) : std::string{"never"};
        const auto state =
            token.revoked_at ? "revoked " + to_rfc3339(*token.revoked_at) : std::string{"valid"};
        fmt::print(
            "{}...  created {}  used {}  {}  {}\n",
            token.prefix,
            to_rfc3339(token.created_at),
            used,
            state,
            token.name);
    }
    co_return result<void>{};
}

asio::awaitable<result<void>> revoke_token_on(db::pool& pool, revoke_token_command asked) {
    accounts::account_store store{pool};
    const auto by = deadline::after(answer_time_max);
    const auto id = co_await find_account(store, asked.account, by);
    if (!id) co_return id.error();
    co_return co_await store.revoke_token(*id, asked.name, by);
}

}  // namespace

result<void> execute(
    const create_account_command& asked, const settings& with, const log::logger& log) {
    if (const auto valid = accounts::check_email(asked.email); !valid) return valid.error();
    return with_database(
        with, log, [&asked](db::pool& pool) { return create_account_on(pool, asked); });
}

result<void> execute(
    const limit_account_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&asked](db::pool& pool) { return limit_account_on(pool, asked); });
}

result<void> execute(
    const invite_account_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&](db::pool& pool) { return invite_account_on(pool, asked, with); });
}

result<void> execute(
    const create_token_command& asked, const settings& with, const log::logger& log) {
    if (const auto valid = accounts::check_token_name(asked.name); !valid) return valid.error();
    return with_database(
        with, log, [&asked](db::pool& pool) { return create_token_on(pool, asked); });
}

result<void> execute(
    const list_tokens_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&asked](db::pool& pool) { return list_tokens_on(pool, asked); });
}

result<void> execute(
    const revoke_token_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&asked](db::pool& pool) { return revoke_token_on(pool, asked); });
}

}  // namespace reelsd::app
