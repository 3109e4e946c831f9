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

void add_metrics_routes(http::router& router, metrics_service& service);

}  // namespace reelsd::api
