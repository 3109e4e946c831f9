#include "events.hpp"

#include <reelsd/http/router.hpp>

#include <array>
#include <chrono>
#include <stop_token>
#include <utility>

namespace reelsd::dashboard {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Proxies cut what is silent for a minute; and so soon, somebody who was signed out sees no more.
constexpr auto heartbeat_interval = 15s;
/// A person has so many windows; each is a connection.
constexpr int streams_max = 20;

/// Counts a stream of an account as long as it lives.
class open_stream {
public:
    open_stream(event_service& service, account_id account) : service_{service}, account_{account} {
        ++service_.open[account_];
    }
    open_stream(const open_stream&) = delete;
    open_stream& operator=(const open_stream&) = delete;
    ~open_stream() {
        if (--service_.open[account_] == 0) service_.open.erase(account_);
    }

private:
    event_service& service_;
    account_id account_;
};

/// Sends what changes until the client leaves, the daemon stops or the session ends.
asio::awaitable<void> send_events(
    http::request_context& ctx, event_service& service, http::body_writer& body) {
    const open_stream counted{service, ctx.caller()};
    // Before looking at what was missed: nothing falls between.
    change_feed::listener events{service.feed, ctx.caller()};
    const auto stop = ctx.stop();
    const std::stop_callback on_stop{stop, [&events] { events.wake(); }};

    const auto since = position_in(ctx.header("Last-Event-ID").value_or(""));
    ctx.restart_database_time();
    const auto missed = co_await service.feed.missed(ctx.caller(), since, ctx.database_by());
    if (!co_await body.write("retry: 2000\n\n" + missed)) co_return;
    auto check_at = deadline::after(heartbeat_interval);
    while (!stop.stop_requested()) {
        auto text = co_await events.next(check_at);
        if (check_at.passed()) {
            ctx.restart_database_time();
            if (co_await ctx.authenticate()) co_return;
            check_at = deadline::after(heartbeat_interval);
            text += ": still here\n\n";
        }
        if (!text.empty() && !co_await body.write(text)) co_return;
    }
}

/// GET events: what changes of the caller's reels, as server-sent events, from `Last-Event-ID` on.
/// 200; 429 too many streams.
asio::awaitable<http::response> stream_events(http::request_context& ctx, event_service& service) {
    const auto known = service.open.find(ctx.caller());
    if (known != service.open.end() && known->second >= streams_max) {
        auto refused =
            ctx.problem(http::status::too_many_requests, "too many pages are open; close some");
        refused.set("Retry-After", "30");
        co_return refused;
    }
    auto answer = http::response::of_stream(
        "text/event-stream",
        [&ctx, &service](http::body_writer& body) { return send_events(ctx, service, body); });
    // Nginx would keep it until it is whole.
    answer.set("X-Accel-Buffering", "no");
    co_return answer;
}

constexpr auto event_routes = std::to_array<http::route<event_service>>({
    {http::verb::get, "/events", &stream_events},
});

}  // namespace

void add_event_routes(http::router& router, std::string_view gated, event_service& service) {
    router.add(event_routes, service, gated);
}

}  // namespace reelsd::dashboard
