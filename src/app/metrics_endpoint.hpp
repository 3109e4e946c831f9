#pragma once

#include "settings.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace reelsd::app {

/// Serves `/metrics` at the address that `metrics-listen` names. Thread: the loop's.
class metrics_endpoint {
public:
    metrics_endpoint(
        boost::asio::io_context& loop, const settings& config, api::api& handlers, log::logger log);

    /// Errors: the address cannot be listened on.
    result<void> start();

    boost::asio::awaitable<void> stop();

    /// Stops when the loop does not run and will not.
    void abandon();

private:
    boost::asio::io_context& loop_;
    http::listen_address address_;
    log::logger log_;
    http::router router_;
    http::server server_;
};

}  // namespace reelsd::app
