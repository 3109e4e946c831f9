#include "metrics_endpoint.hpp"

#include "host_check.hpp"

#include <boost/asio/co_spawn.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;

/// Of those who scrape: a Prometheus or two.
constexpr std::size_t metrics_connections_max = 64;
/// For a scrape that is under way: nothing is lost with it.
constexpr std::chrono::milliseconds scrape_time_max{500};

http::server_options metrics_server_options(const settings& config) {
    http::server_options options;
    options.address = *config.metrics_listen;
    options.shares_address = config.share_port;
    options.connections_max = metrics_connections_max;
    return options;
}

}  // namespace

metrics_endpoint::metrics_endpoint(
    asio::io_context& loop, const settings& config, api::api& handlers, log::logger log)
    : loop_{loop},
      address_{*config.metrics_listen},
      log_{std::move(log)},
      server_{loop.get_executor(), router_, log_, metrics_server_options(config)} {
    router_.check_every_request(host_check_of(config));
    handlers.add_metrics_to(router_);
}

result<void> metrics_endpoint::start() {
    const auto port = server_.start();
    if (!port) return port.error();
    log_.info("serving metrics", {{"address", fmt::format("{}:{}", address_.host, *port)}});
    return {};
}

asio::awaitable<void> metrics_endpoint::stop() {
    return server_.stop(deadline::after(scrape_time_max));
}

void metrics_endpoint::abandon() {
    bool has_stopped = false;
    asio::co_spawn(loop_, stop(), [&has_stopped](const std::exception_ptr& /*failure*/) {
        has_stopped = true;
    });
    while (!has_stopped) loop_.run_one();
}

}  // namespace reelsd::app
