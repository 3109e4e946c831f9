#pragma once

#include <reelsd/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What `/healthz`, `/readyz` and `/metrics` use. Outlives the router.
struct monitoring_service {
    std::function<boost::asio::awaitable<result<void>>()> ready;
    /// All metrics in Prometheus' text format.
    std::function<boost::asio::awaitable<std::string>()> metrics;
};

void add_health_routes(http::router& router, monitoring_service& service);
/// For every client that reaches the router.
void add_metrics_routes(http::router& router, monitoring_service& service);
/// For clients on this machine; 404 for others.
void add_local_metrics_routes(http::router& router, monitoring_service& service);

}  // namespace reelsd::api
