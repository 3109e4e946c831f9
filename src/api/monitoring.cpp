#include "monitoring.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>

#include <string>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// GET /healthz: the process answers. Independent of the database, because a restart does not
/// repair it.
asio::awaitable<http::response> get_health(const http::request_context& ctx) {
    const json body{{"status", "ok"}, {"version", REELSD_VERSION}};
    co_return ctx.json(http::status::ok, body);
}

/// GET /readyz: whether this daemon can serve. 200; 503 with the reason.
asio::awaitable<http::response> get_readiness(http::request_context& ctx, readiness_check& check) {
    const auto ready = co_await check();
    if (!ready) {
        auto refusal = ctx.problem(http::status::service_unavailable, ready.error().detail());
        refusal.set("Retry-After", std::to_string(http::retry_after_seconds));
        co_return refusal;
    }
    const json body{{"status", "ready"}};
    co_return ctx.json(http::status::ok, body);
}

/// GET /metrics: the daemon's metrics for Prometheus. 200, also during an outage of the database.
asio::awaitable<http::response> get_metrics(http::request_context& ctx, metrics_text& text) {
    auto body = co_await text();
    http::response answer{
        http::status::ok, "text/plain; version=0.0.4; charset=utf-8", std::move(body)};
    co_return http::gzip_if_accepted(ctx, std::move(answer));
}

/// GET /metrics at the API's address: 404 unless the client is on this machine.
asio::awaitable<http::response> get_local_metrics(http::request_context& ctx, metrics_text& text) {
    if (!ctx.request().is_local) co_return ctx.problem(error{errc::not_found});
    co_return co_await get_metrics(ctx, text);
}

}  // namespace

void add_health_routes(http::router& router, readiness_check& ready) {
    router.add(http::verb::get, "/healthz", &get_health);
    router.add(http::verb::get, "/readyz", [&ready](http::request_context& ctx) {
        return get_readiness(ctx, ready);
    });
}

void add_metrics_routes(http::router& router, metrics_text& text) {
    router.add(http::verb::get, "/metrics", [&text](http::request_context& ctx) {
        return get_metrics(ctx, text);
    });
}

void add_local_metrics_routes(http::router& router, metrics_text& text) {
    router.add(http::verb::get, "/metrics", [&text](http::request_context& ctx) {
        return get_local_metrics(ctx, text);
    });
}

}  // namespace reelsd::api
