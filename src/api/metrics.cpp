#include "metrics.hpp"

#include <reelsd/http/gzip.hpp>
#include <reelsd/http/router.hpp>

#include <array>
#include <utility>

namespace reelsd::api {
namespace {

/// GET /metrics: the daemon's figures for Prometheus. 200, also while the database is away: the
/// figures say so.
boost::asio::awaitable<http::response> get_metrics(
    http::request_context& ctx, metrics_service& service) {
    auto text = co_await service.text();
    http::response answer{
        http::status::ok, "text/plain; version=0.0.4; charset=utf-8", std::move(text)};
    co_return http::gzip_if_accepted(ctx, std::move(answer));
}

/// The same on the address that serves everything: 404 unless the client is on this machine.
boost::asio::awaitable<http::response> get_local_metrics(
    http::request_context& ctx, metrics_service& service) {
    if (!ctx.request().is_local) co_return ctx.problem(error{errc::not_found});
    co_return co_await get_metrics(ctx, service);
}

constexpr auto metrics_routes = std::to_array<http::route<metrics_service>>({
    {http::verb::get, "/metrics", &get_metrics},
});

constexpr auto local_metrics_routes = std::to_array<http::route<metrics_service>>({
    {http::verb::get, "/metrics", &get_local_metrics},
});

}  // namespace

void add_metrics_routes(http::router& router, metrics_service& service) {
    router.add(metrics_routes, service);
}

void add_local_metrics_routes(http::router& router, metrics_service& service) {
    router.add(local_metrics_routes, service);
}

}  // namespace reelsd::api
