#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>

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
/// Delay until a revoked token is refused.
constexpr auto authentication_interval_of_exports = 5s;

/// Fits the time limit of a write, 10 min, at 2 KB/s.
constexpr std::size_t slice_bytes_max = std::size_t{1} << 20;

/// False when the client has left.
awaitable<bool> write_page(http::body_writer& body, std::string_view page) {
    while (!page.empty()) {
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
    if (!co_await write_page(body, first)) co_return;
    first.clear();
    const auto stop = ctx.stop();
    auto authenticated_until = deadline::after(authentication_interval_of_exports);
    for (;;) {
        if (stop.stop_requested()) throw std::runtime_error{"the daemon stops"};
        ctx.restart_database_time();
        if (authenticated_until.passed()) {
            const auto refused = co_await ctx.authenticate();
            if (refused) throw std::runtime_error{"the account or its token is no longer valid"};
            authenticated_until = deadline::after(authentication_interval_of_exports);
        }
        const auto page = co_await lines.next(ctx.database_by());
        if (!page || !co_await write_page(body, *page)) co_return;
    }
}

/// GET /api/v1/export: all data of the caller's account, as JSON lines. 200; 429 during another.
awaitable<http::response> export_account(http::request_context& ctx, export_service& service) {
    auto& in_progress = service.in_progress;
    const auto caller = ctx.caller();
    if (in_progress.count(caller) > 0 || in_progress.size() >= exports_max) {
        constexpr int retry_after = 10;
        co_return ctx.problem(
            error_reason::limit_exports,
            "another export is running; try again when it has ended",
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
