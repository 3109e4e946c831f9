#include "health.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>

#include <array>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

/// GET /healthz: the process answers. Asks nobody else: a restart would not bring a database back.
asio::awaitable<http::response> get_health(
    http::request_context& ctx, health_service& /*service*/) {
    const json body{{"status", "ok"}};
    co_return ctx.json(http::status::ok, body);
}

/// GET /readyz: whether to send work here. 200; 503 with the reason.
asio::awaitable<http::response> get_readiness(http::request_context& ctx, health_service& service) {
    const auto ready = co_await service.ready();
    if (!ready) {
        auto refusal = ctx.problem(http::status::service_unavailable, ready.error().detail());
        refusal.set("Retry-After", std::to_string(http::retry_after_seconds));
        co_return refusal;
    }
    const json body{{"status", "ready"}};
    co_return ctx.json(http::status::ok, body);
}

constexpr auto health_routes = std::to_array<http::route<health_service>>({
    {http::verb::get, "/healthz", &get_health},
    {http::verb::get, "/readyz", &get_readiness},
});

}  // namespace

void add_health_routes(http::router& router, health_service& service) {
    router.add(health_routes, service);
}

}  // namespace reelsd::api
