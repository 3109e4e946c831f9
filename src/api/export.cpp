#include "export.hpp"

#include <reelsd/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Each holds a page of up to 9 MB, and asks the database without a pause.
constexpr std::size_t exports_max = 4;
/// So soon, a token that was revoked gets no more.
constexpr auto recognition_interval = 5s;

/// Counts an account's export from its request to its end.
class place {
public:
    place(std::set<account_id>& under_way, account_id account)
        : under_way_{under_way}, account_{account} {
        under_way_.insert(account_);
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;
    ~place() { under_way_.erase(account_); }

private:
    std::set<account_id>& under_way_;
    account_id account_;
};

/// A write has 10 min: what fits into it at 2 KB/s.
constexpr std::size_t slice_bytes_max = std::size_t{1} << 20;

/// False when the client has left.
asio::awaitable<bool> write_page(http::body_writer& body, std::string_view page) {
    while (!page.empty()) {
        const auto slice = page.substr(0, slice_bytes_max);
        if (!co_await body.write(slice)) co_return false;
        page.remove_prefix(slice.size());
    }
    co_return true;
}

/// Sends page after page behind the first, until the last one or until the client leaves. What is
/// cut by us must not look whole, neither to who reads the last line nor to who does not: hence the
/// exceptions.
asio::awaitable<void> send_lines(
    http::request_context& ctx, exports::account_export lines, std::string first,
    http::body_writer& body) {
    if (!co_await write_page(body, first)) co_return;
    first.clear();
    const auto stop = ctx.stop();
    auto recognised_until = deadline::after(recognition_interval);
    for (;;) {
        if (stop.stop_requested()) throw std::runtime_error{"the daemon stops"};
        ctx.restart_database_time();
        if (recognised_until.passed()) {
            const auto refused = co_await ctx.authenticate();
            if (refused) throw std::runtime_error{"the caller is no longer known"};
            recognised_until = deadline::after(recognition_interval);
        }
        const auto page = co_await lines.next(ctx.database_by());
        if (!page || !co_await write_page(body, *page)) co_return;
    }
}

/// GET /api/v1/export: all data of the caller's account, as lines of JSON. 200; 429 one is under
/// way.
asio::awaitable<http::response> export_account(
    http::request_context& ctx, export_service& service) {
    const auto& under_way = service.under_way;
    if (under_way.count(ctx.caller()) > 0 || under_way.size() >= exports_max) {
        auto refused = ctx.problem(
            http::status::too_many_requests, "an export is under way; ask again when it is over");
        refused.set("Retry-After", "10");
        co_return refused;
    }
    // Held by the answer: an answer that is never sent gives it back.
    auto held = std::make_shared<const place>(service.under_way, ctx.caller());
    auto lines = service.begin(ctx.caller());
    // Before the answer begins, so that a database that is away can still be told of.
    auto first = co_await lines.next(ctx.database_by());
    // Called once: the first page is handed on, not copied.
    auto send = [&ctx,
                 held = std::move(held),
                 lines = std::move(lines),
                 first = std::move(first).value_or("")](http::body_writer& body) mutable {
        return send_lines(ctx, std::move(lines), std::move(first), body);
    };
    auto answer = http::response::of_stream("application/x-ndjson", std::move(send));
    answer.set("Content-Disposition", "attachment; filename=\"reels-export.ndjson\"");
    // Nginx would keep it until it is whole.
    answer.set("X-Accel-Buffering", "no");
    co_return http::gzip_if_accepted(ctx, std::move(answer));
}

constexpr auto export_routes = std::to_array<http::route<export_service>>({
    {http::verb::get, "/export", &export_account},
});

}  // namespace

void add_export_routes(http::router& router, std::string_view prefix, export_service& service) {
    router.add(export_routes, service, prefix);
}

}  // namespace reelsd::api
