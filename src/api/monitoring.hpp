#pragma once

#include <reelsd/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// See api_dependencies::ready.
using readiness_check = std::function<boost::asio::awaitable<result<void>>()>;
/// All metrics in Prometheus' text format.
using metrics_text = std::function<boost::asio::awaitable<std::string>()>;

/// The arguments outlive the router.
void add_health_routes(http::router& router, readiness_check& ready);
/// `/metrics` for every client that reaches the router.
void add_metrics_routes(http::router& router, metrics_text& text);
/// `/metrics` for clients on this machine; 404 for others.
void add_local_metrics_routes(http::router& router, metrics_text& text);

}  // namespace reelsd::api
