#include "http_endpoints.hpp"

#include <reelsd/db/errors.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/host_name.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;

/// Enough for one or two Prometheus servers.
constexpr std::size_t metrics_connections_max = 64;
/// A scrape in progress may be aborted: nothing is lost.
constexpr std::chrono::milliseconds scrape_time_max{500};

bool is_loopback(const std::string& host) {
    boost::system::error_code failed;
    const auto address = asio::ip::make_address(host, failed);
    return !failed && address.is_loopback();
}

std::string own_name(const settings& config) {
    boost::system::error_code failed;
    if (config.public_url.empty()) return asio::ip::host_name(failed);
    constexpr std::string_view scheme_end = "://";
    const std::string_view url = config.public_url;
    return std::string{
        http::host_without_port(url.substr(url.find(scheme_end) + scheme_end.size()))};
}

/// Whether a page of another site could gain from reading `path` under its own name. Requests below
/// `/api/v1` need a token that browsers do not send by themselves. Load balancers request
/// `/healthz` and `/readyz` under any name.
bool needs_own_host(std::string_view path) noexcept {
    constexpr std::string_view api = "/api/v1";
    const bool is_api =
        path.starts_with(api) && (path.size() == api.size() || path[api.size()] == '/');
    return !is_api && path != "/healthz" && path != "/readyz";
}

http::server_options metrics_server_options(const settings& config) {
    http::server_options options;
    options.address = *config.metrics_listen;
    options.shares_address = config.share_port;
    options.connections_max = metrics_connections_max;
    return options;
}

/// Maps an exception of a handler to the client's error. Empty for an unknown exception. A
/// database that is out of disk or memory counts as unavailable: the client may retry.
std::optional<error> map_exception(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const db::failure& failure) {
        const bool is_ours =
            failure.code() != errc::database_unavailable && failure.code() != errc::storage_failed;
        return error{is_ours ? errc::internal : errc::database_unavailable, failure.what()};
    } catch (...) {  // The session handles unknown exceptions.
        return std::nullopt;
    }
}

}  // namespace

http::middleware::decision host_check_of(const settings& config) {
    if (config.public_url.empty() && !is_loopback(config.listen.host)) return {};
    return [own = own_name(config)](
               const http::request_context& ctx) -> std::optional<http::response> {
        const auto host = ctx.header("Host");
        if (!host || !needs_own_host(ctx.request().target.path())) return std::nullopt;
        if (http::is_own_host(*host, own)) return std::nullopt;
        return ctx.problem(
            http::status::misdirected_request,
            "unknown Host; to serve pages under that name, set public-url");
    };
}

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

awaitable<void> metrics_endpoint::stop() {
    return server_.stop(deadline::after(scrape_time_max));
}

void metrics_endpoint::abandon() {
    bool has_stopped = false;
    asio::co_spawn(loop_, stop(), [&has_stopped](const std::exception_ptr& /*failure*/) {
        has_stopped = true;
    });
    while (!has_stopped) loop_.run_one();
}

http::server_options server_options_of(
    const settings& config, std::shared_ptr<const http::tls_identity> tls, metrics& registry) {
    http::server_options options;
    options.address = config.listen;
    options.connections_max = config.connections_max;
    options.connections_per_address_max = config.connections_per_address_max;
    options.proxy_addresses = config.proxy_addresses;
    options.forwarded_for = config.forwarded_for;
    options.buffered_bytes_max = config.buffered_bytes_max;
    const bool is_https = tls || public_origin(config, config.listen.port).starts_with("https://");
    options.hsts = is_https ? http::strict_transport::on : http::strict_transport::off;
    options.tls = std::move(tls);
    options.map_exception = map_exception;
    options.on_request_end = [&registry](const http::request_report& exchange) {
        registry.note_request(exchange);
    };
    return options;
}

}  // namespace reelsd::app
