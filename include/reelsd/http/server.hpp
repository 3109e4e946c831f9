#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ip_network.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/http/request.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/tls_identity.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {

// Addresses and host names of clients, proxies and this server.

/// The client of a request that `peer`, one of `proxies`, forwarded: the last address in
/// X-Forwarded-For that is not one of `proxies`. The client itself can have written all before it.
/// If there is none, or an element is not an address, the last address before it.
[[nodiscard]] boost::asio::ip::address client_behind(
    const boost::asio::ip::address& peer, const header_fields& headers,
    std::span<const ip_network> proxies);

/// Whether a browser may read this server's pages under the name in a `Host` header. A page of
/// another site can point its own name at this machine (DNS rebinding); the browser then treats our
/// responses as that site's. Therefore only names that such a site cannot have are allowed:
/// - address literals;
/// - "localhost", its subdomains, and any other name without a dot, which cannot be registered;
/// - `own_name`, without a port, in any letter case.
/// A request without `Host` does not come from a browser.
[[nodiscard]] bool is_own_host(std::string_view host, std::string_view own_name);

/// The host of a `Host` header, or of an authority, without its port; IPv6 without brackets.
[[nodiscard]] std::string_view host_without_port(std::string_view authority) noexcept;

struct listen_address {
    /// An IPv4 or IPv6 address; not a name, whose resolution would block.
    std::string host;
    /// 0: any free port.
    std::uint16_t port = 0;
};

/// Reads "127.0.0.1:8080", "[::1]:8080", ":8080" (all of IPv4) and "localhost:8080" (127.0.0.1).
/// Errors: invalid_argument with the reason.
[[nodiscard]] result<listen_address> parse_listen_address(std::string_view text);
/// "127.0.0.1:8080", "[::1]:8080".
[[nodiscard]] std::string text_of(const listen_address& address);

/// Outcome of one request, for metrics. The route lives as long as the router.
struct request_report {
    verb method;
    /// The route's pattern ("/api/v1/reels/{id}"), empty if no route matched: bounded in number.
    std::string_view route;
    status code;
    /// Size of the body as sent.
    std::size_t bytes;
    /// From the complete request to the written response.
    std::chrono::steady_clock::duration took;
};

struct server_options {
    listen_address address;
    /// Other processes of this user may listen on the same address (SO_REUSEPORT).
    bool shares_address = false;
    /// Null: plain HTTP. Otherwise the port speaks only TLS.
    std::shared_ptr<const tls_identity> tls;
    /// On when clients reach the service by HTTPS, through this server or a proxy.
    strict_transport hsts = strict_transport::off;

    /// For the whole header and the whole body, not for each read. A TLS handshake is part of the
    /// first header's time.
    std::chrono::milliseconds header_time_max = std::chrono::seconds{10};
    std::chrono::milliseconds body_time_max = std::chrono::seconds{30};
    /// For a streamed body, between two reads and as a whole.
    std::chrono::milliseconds stream_stall_max = std::chrono::seconds{30};
    std::chrono::milliseconds stream_time_max = std::chrono::minutes{10};
    /// Between two requests: longer than the 60 s after which common proxies close.
    std::chrono::milliseconds idle_time_max = std::chrono::seconds{75};
    /// Upper bound without progress in writing a response.
    std::chrono::milliseconds write_stall_max = std::chrono::seconds{30};
    /// For one whole response, or one piece of a stream, despite progress: 1 MiB at 2 KB/s.
    std::chrono::milliseconds write_time_max = std::chrono::minutes{10};
    /// How long a refused client may continue to send before its connection is closed.
    std::chrono::milliseconds linger_time_max = std::chrono::seconds{2};
    /// During a stop, for a request that is arriving and for the next request of an idle
    /// connection. A client whose request crosses the closing of its connection cannot know whether
    /// it was handled.
    std::chrono::milliseconds drain_time_max = std::chrono::seconds{1};
    /// Until `request_context::answer_by`: twice the time that a loaded database should take.
    std::chrono::milliseconds answer_time_max = std::chrono::seconds{10};

    std::size_t header_bytes_max = bounds::request_header_bytes_max;
    std::size_t body_bytes_max = bounds::request_body_bytes_max;
    /// About 5 KiB each when idle, 17 with TLS. The process's limit of open files bounds it too.
    std::size_t connections_max = 10'000;
    /// Per client, which is an IPv4 address or an IPv6 /64. 0 means no limit.
    std::size_t connections_per_address_max = 0;
    /// Proxies with many clients each: connections_per_address_max does not apply to them.
    std::vector<ip_network> proxy_addresses;
    /// Takes the client's address from a proxy's X-Forwarded-For. Only if all of `proxy_addresses`
    /// set or extend that field; otherwise clients could claim any address.
    bool forwarded_for = false;
    /// For all requests and responses in transit together, beyond 4 KiB each: bodies of 64 KiB on
    /// all connections would be ten times as much.
    std::size_t buffered_bytes_max = std::size_t{64} * 1024 * 1024;

    /// Maps an exception of a handler to an error, for instance a lost database. Without it, or
    /// without its result, the response is 500. Called in the session's catch.
    std::function<std::optional<error>(const std::exception_ptr&)> map_exception;
    /// Called after each answered request. Must not throw.
    std::function<void(const request_report&)> on_request_end;
};

/// Totals since the start, except for the first two.
struct server_counts {
    std::size_t connections_open = 0;
    std::size_t requests_running = 0;
    std::uint64_t connections_accepted = 0;
    /// Rejected because the server or the client has too many connections.
    std::uint64_t connections_refused = 0;
    /// Failed accepts, for instance without free descriptors.
    std::uint64_t accept_failures = 0;
    /// Responses by status class: [2] counts 2xx.
    std::array<std::uint64_t, 6> responses{};
};

/// Listens, and runs one coroutine for each connection. Thread: only the loop's. `routes` and the
/// objects that its handlers use outlive the server, which must be stopped before it is destroyed.
class server {
public:
    server(
        const boost::asio::any_io_executor& loop, const router& routes, log::logger log,
        server_options options);
    ~server();

    /// Binds, listens and begins to accept; or accepts on `listening`, which other processes may
    /// share. Returns the port. Errors: invalid_argument, whose detail names the address and the
    /// reason ("cannot listen on 127.0.0.1:8080: Address already in use").
    [[nodiscard]] result<std::uint16_t> start(unique_fd listening = {});

    /// The listening socket, for another process to accept on; -1 before start() and after stop().
    [[nodiscard]] int listener() const noexcept;

    /// Stops accepting, serves one more request of idle connections within `drain_time_max`, and
    /// requests `request_context::stop`. Each connection's last response says that it closes.
    void drain();

    /// Drains, and waits for running exchanges until `by`. Then cancels them and waits for their
    /// coroutines.
    [[nodiscard]] awaitable<void> stop(deadline by);

    /// New connections use `identity`; open ones keep theirs. Only for a server that was created
    /// with an identity.
    void renew_tls(std::shared_ptr<const tls_identity> identity);

    [[nodiscard]] server_counts counts() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::http
