#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

/// Each holds a page of up to 9 MB, and queries the database without a pause.
constexpr std::size_t exports_max = 4;
/// Delay until a revoked token is refused, unless the client reads slowly.
constexpr auto authentication_interval_of_exports = 1s;

/// Written between two authentications even if the client reads slowly.
constexpr std::size_t slice_bytes_max = std::size_t{256} * 1024;

/// Authenticates the caller again when `authenticated_until` has passed. Throws when the token was
/// revoked.
awaitable<void> authenticate_again(http::request_context& ctx, deadline& authenticated_until) {
    if (!authenticated_until.passed()) co_return;
    ctx.restart_database_time();
    const auto refused = co_await ctx.authenticate();
    if (refused) throw std::runtime_error{"the account or its token is no longer valid"};
    authenticated_until = deadline::after(authentication_interval_of_exports);
}

/// False when the client has left.
awaitable<bool> write_page(
    http::request_context& ctx, deadline& authenticated_until, http::body_writer& body,
    std::string_view page) {
    while (!page.empty()) {
        co_await authenticate_again(ctx, authenticated_until);
        const auto slice = page.substr(0, slice_bytes_max);
        if (!co_await body.write(slice)) co_return false;
        page.remove_prefix(slice.size());
    }
    co_return true;
}

/// Sends all pages after the first, until the client leaves. Throws to cut the answer, so that a
/// partial export is recognised as such.
awaitable<void> send_lines(
    http::request_context& ctx, exports::account_export lines, std::string first,
    http::body_writer& body) {
    auto authenticated_until = deadline::after(authentication_interval_of_exports);
    if (!co_await write_page(ctx, authenticated_until, body, first)) co_return;
    first.clear();
    const auto stop = ctx.stop();
    for (;;) {
        if (stop.stop_requested()) throw std::runtime_error{"the daemon stops"};
        ctx.restart_database_time();
        const auto page = co_await lines.next(ctx.database_by());
        if (!page || !co_await write_page(ctx, authenticated_until, body, *page)) co_return;
    }
}

/// GET /api/v1/export: all data of the caller's account, as JSON lines. 200; 429 while it or
/// others run.
awaitable<http::response> export_account(http::request_context& ctx, export_service& service) {
    auto& in_progress = service.in_progress;
    const auto caller = ctx.caller();
    constexpr int retry_after = 10;
    if (in_progress.count(caller) > 0) {
        co_return ctx.problem(
            error_reason::limit_exports, "limit of 1 export at the same time reached", retry_after);
    }
    if (in_progress.size() >= exports_max) {
        co_return ctx.problem(
            error_reason::server_busy,
            fmt::format(
                "limit of {} exports of all accounts on this server reached; try again",
                exports_max),
            retry_after);
    }
    in_progress.insert(caller);
    // Owned by the answer, so that an answer that is never sent also ends the export.
    std::shared_ptr<void> held{
        nullptr, [&in_progress, caller](void*) { in_progress.erase(caller); }};
    auto lines = service.begin(caller);
    // Read before the answer begins, so that an outage of the database is still reported.
    auto first = co_await lines.next(ctx.database_by());
    // Called once, so the first page is moved.
    auto send = [&ctx,
                 held = std::move(held),
                 lines = std::move(lines),
                 first = std::move(first).value_or("")](http::body_writer& body) mutable {
        return send_lines(ctx, std::move(lines), std::move(first), body);
    };
    auto answer = http::response::of_stream("application/x-ndjson", std::move(send));
    answer.set("Content-Disposition", "attachment; filename=\"reels-export.ndjson\"");
    // Nginx would buffer the whole answer.
    answer.set("X-Accel-Buffering", "no");
    co_return http::gzip_if_accepted(ctx, std::move(answer));
}

}  // namespace

void add_export_routes(http::router& router, std::string_view prefix, export_service& service) {
    router.add({{http::verb::get, "/export", &export_account}}, service, prefix);
}

}  // namespace reelsd::api
