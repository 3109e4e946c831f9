#pragma once

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct metrics_service {
    /// All figures in Prometheus' text format.
    std::function<boost::asio::awaitable<std::string>()> text;
};

/// For whoever reaches the router.
void add_metrics_routes(http::router& router, metrics_service& service);
/// For clients on this machine; 404 for others.
void add_local_metrics_routes(http::router& router, metrics_service& service);

}  // namespace reelsd::api
