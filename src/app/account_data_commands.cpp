#include "commands.hpp"
#include "database.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/retention/retention_store.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

// What an operator does with all data of an account.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// A person waits.
constexpr auto page_time_max = 10s;

asio::awaitable<result<account_id>> find_owner(db::pool& pool, std::string who, deadline by) {
    accounts::account_store store{pool};
    co_return co_await store.find(std::move(who), by);
}

error no_such_account(std::string_view who) {
    return error{
        errc::not_found,
        fmt::format(
            "there is no such account as {} in this database; --data-dir or --database-url must "
            "be the server's",
            who)};
}

/// False when it could not be written: a full disk, or a reader that has gone.
bool write_out(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

asio::awaitable<result<void>> export_account_on(db::pool& pool, export_account_command asked) {
    const auto id = co_await find_owner(pool, asked.email, deadline::after(page_time_max));
    if (!id) co_return no_such_account(asked.email);
    exports::account_export lines{pool, *id};
    bool is_written = true;
    while (is_written) {
        const auto page = co_await lines.next(deadline::after(page_time_max));
        if (!page) break;
        is_written = write_out(*page);
    }
    if (is_written && std::fflush(stdout) == 0) co_return result<void>{};
    co_return error{
        errc::storage_failed,
        fmt::format("the export was cut after {} lines: it could not be written", lines.lines())};
}

/// Whoever has typed the address twice means it.
result<void> ask_for_consent(const std::string& email, const retention::holdings& has) {
    fmt::print(
        stderr,
        "This deletes {} with {} reels, {} calls of models and {} tokens, for good.\n"
        "Type the e-mail address to go on: ",
        email,
        has.jobs,
        has.calls,
        has.tokens);
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

/// Beside daemons, which do the same: whatever this one does not reach, they finish.
asio::awaitable<void> empty_account(db::pool& pool, account_id leaver) {
    retention::retention_store store{pool};
    retention::step_size size;
    for (;;) {
        const auto began = clock::now();
        const auto step =
            co_await store.erase_account(leaver, size.rows(), deadline::after(page_time_max));
        if (!step.account || step.is_gone) co_return;
        size.took(clock::now() - began, step.is_full(size.rows()));
        co_await async::pause(size.pause());
    }
}

asio::awaitable<result<void>> delete_account_on(db::pool& pool, delete_account_command asked) {
    // Elsewhere an id does as well; but of a wrong number, nobody would see whose it is.
    if (asked.email.find('@') == std::string::npos) co_return no_such_account(asked.email);
    const auto id = co_await find_owner(pool, asked.email, deadline::after(page_time_max));
    if (!id) co_return no_such_account(asked.email);
    retention::retention_store store{pool};
    const auto has = co_await store.look_at(*id, deadline::after(page_time_max));
    if (!asked.is_confirmed) {
        const auto consent = ask_for_consent(asked.email, has);
        if (!consent) co_return consent.error();
    }
    const auto begun =
        co_await store.begin_erasure(*id, std::nullopt, deadline::after(page_time_max));
    if (!begun) co_return begun.error();
    try {
        co_await empty_account(pool, *id);
    } catch (const db::failure& failure) {
        co_return error{
            failure.code(),
            fmt::format(
                "{} is powerless already, and any daemon deletes what is left; this command "
                "stopped: {}",
                asked.email,
                failure.what())};
    }
    fmt::print(
        "deleted {}: {} reels, {} calls of models, {} tokens\n",
        asked.email,
        has.jobs,
        has.calls,
        has.tokens);
    co_return result<void>{};
}

}  // namespace

result<void> execute(
    const export_account_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&asked](db::pool& pool) { return export_account_on(pool, asked); });
}

result<void> execute(
    const delete_account_command& asked, const settings& with, const log::logger& log) {
    return with_database(
        with, log, [&asked](db::pool& pool) { return delete_account_on(pool, asked); });
}

}  // namespace reelsd::app
