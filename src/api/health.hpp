#pragma once

#include <reelsd/base/result.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct health_service {
    std::function<boost::asio::awaitable<result<void>>()> ready;
};

void add_health_routes(http::router& router, health_service& service);

}  // namespace reelsd::api
