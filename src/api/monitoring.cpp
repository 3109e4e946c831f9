#include "monitoring.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>

#include <array>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// GET /healthz: the process answers. Independent of the database, because a restart does not
/// repair it.
asio::awaitable<http::response> get_health(http::request_context& ctx, readiness_check& /*ready*/) {
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

constexpr auto health_routes = std::to_array<http::route<readiness_check>>({
    {http::verb::get, "/healthz", &get_health},
    {http::verb::get, "/readyz", &get_readiness},
});

constexpr auto metrics_routes = std::to_array<http::route<metrics_text>>({
    {http::verb::get, "/metrics", &get_metrics},
});

constexpr auto local_metrics_routes = std::to_array<http::route<metrics_text>>({
    {http::verb::get, "/metrics", &get_local_metrics},
});

}  // namespace

void add_health_routes(http::router& router, readiness_check& ready) {
    router.add(health_routes, ready);
}

void add_metrics_routes(http::router& router, metrics_text& text) {
    router.add(metrics_routes, text);
}

void add_local_metrics_routes(http::router& router, metrics_text& text) {
    router.add(local_metrics_routes, text);
}

}  // namespace reelsd::api
