#pragma once

#include "metrics.hpp"
#include "settings.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/io_context.hpp>

#include <memory>

namespace reelsd::app {

/// Refuses (421) requests whose `Host` is not a name of this server, except for paths that need a
/// token or contain nothing private. Empty when the names are not known: `public-url` is not set
/// and `listen` is not a loopback address.
[[nodiscard]] http::middleware::decision host_check_of(const settings& config);

/// The options of the public server. `registry` counts its requests and outlives it.
[[nodiscard]] http::server_options server_options_of(
    const settings& config, std::shared_ptr<const http::tls_identity> tls, metrics& registry);

/// Serves `/metrics` at the address of `metrics-listen`. Thread: the loop's.
class metrics_endpoint {
public:
    metrics_endpoint(
        boost::asio::io_context& loop, const settings& config, api::api& handlers, log::logger log);

    /// Errors: the address cannot be listened on.
    result<void> start();

    awaitable<void> stop();

    /// Stops before the loop has run.
    void abandon();

private:
    boost::asio::io_context& loop_;
    http::listen_address address_;
    log::logger log_;
    http::router router_;
    http::server server_;
};

}  // namespace reelsd::app
