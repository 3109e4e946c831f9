#include "metrics.hpp"

#include <reelsd/http/router.hpp>

#include <array>

namespace reelsd::api {
namespace {

/// GET /metrics: the daemon's figures for Prometheus. 200, also while the database is away: the
/// figures say so.
boost::asio::awaitable<http::response> get_metrics(
    http::request_context& /*ctx*/, metrics_service& service) {
    co_return http::response{
        http::status::ok, "text/plain; version=0.0.4; charset=utf-8", co_await service.text()};
}

constexpr auto metrics_routes = std::to_array<http::route<metrics_service>>({
    {http::verb::get, "/metrics", &get_metrics},
});

}  // namespace

void add_metrics_routes(http::router& router, metrics_service& service) {
    router.add(metrics_routes, service);
}

}  // namespace reelsd::api
