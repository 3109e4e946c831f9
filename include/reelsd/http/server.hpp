#pragma once

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/http/ip_network.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/tls_identity.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {

/// Where to listen.
struct listen_address {
    /// An IPv4 or IPv6 address, no name: looking names up would block.
    std::string host;
    /// 0 takes a free one.
    std::uint16_t port = 0;
};

/// Reads "127.0.0.1:8080", "[::1]:8080", ":8080" (all of IPv4) and "localhost:8080" (127.0.0.1).
/// Errors: invalid_argument with what is wrong.
[[nodiscard]] result<listen_address> parse_listen_address(std::string_view text);

/// What one exchange came to, for metrics. The route lives as long as the router.
struct request_report {
    verb method;
    /// The route's pattern ("/api/v1/reels/{id}"), empty if no route matched: bounded in number.
    std::string_view route;
    status code;
    /// Of the body, as sent.
    std::size_t bytes;
    /// From the whole request read to the answer written.
    std::chrono::steady_clock::duration took;
};

struct server_options {
    listen_address address;
    /// Lets other processes of this user listen on the same address (SO_REUSEPORT).
    bool shares_address = false;
    /// Null: plain HTTP. With it, the port speaks TLS alone.
    std::shared_ptr<const tls_identity> tls;
    /// Where people reach the service by HTTPS, through this server or a proxy before it.
    strict_transport hsts = strict_transport::off;

    /// Contract, section 1. For the whole header and the whole body, not for each read of them. A
    /// TLS handshake is part of the first header's time.
    std::chrono::milliseconds header_time_max = std::chrono::seconds{10};
    std::chrono::milliseconds body_time_max = std::chrono::seconds{30};
    /// Contract, section 9: for a streamed body, between two bytes and as a whole.
    std::chrono::milliseconds stream_stall_max = std::chrono::seconds{30};
    std::chrono::milliseconds stream_time_max = std::chrono::minutes{10};
    /// Between two requests: longer than the 60 s after which common proxies let go themselves.
    std::chrono::milliseconds idle_time_max = std::chrono::seconds{75};
    /// Without a byte of an answer taken by the client.
    std::chrono::milliseconds write_stall_max = std::chrono::seconds{30};
    /// For one whole answer, or one piece of a stream, however steadily it is taken: 1 MiB at
    /// 2 KB/s.
    std::chrono::milliseconds write_time_max = std::chrono::minutes{10};
    /// How long a refused client may go on sending before its answer is given up.
    std::chrono::milliseconds linger_time_max = std::chrono::seconds{2};
    /// At a stop, for a request that has begun, and for the next one of a connection that is idle:
    /// a client whose request meets the closing of its connection cannot know whether it was taken.
    std::chrono::milliseconds drain_time_max = std::chrono::seconds{1};
    /// What `request_context::answer_by` starts with: twice what a loaded database should take.
    std::chrono::milliseconds answer_time_max = std::chrono::seconds{10};

    std::size_t header_bytes_max = bounds::request_header_bytes_max;
    std::size_t body_bytes_max = bounds::request_body_bytes_max;
    /// About 5 KiB each when idle, 17 with TLS; also kept below the process's limit of open files.
    std::size_t connections_max = 10'000;
    /// Of these, for one client: an IPv4 address or an IPv6 /64. 0: no bound.
    std::size_t connections_per_address_max = 0;
    /// Of proxies, behind each of which many clients are: not bounded as one client is.
    std::vector<ip_network> proxy_addresses;
    /// What a proxy's X-Forwarded-For says is the client. Only where all of `proxy_addresses` set
    /// that field or add to it: whoever they hand it on for could take any address else.
    bool forwarded_for = false;
    /// For all requests on their way in and answers on their way out together, beyond 4 KiB each:
    /// bodies of 64 KiB on all connections would be ten times as much.
    std::size_t buffered_bytes_max = std::size_t{64} * 1024 * 1024;

    /// Tells what an exception that left a handler means, for instance a lost database. Without it,
    /// or when it gives nothing, the answer is 500. Called in the session's catch.
    std::function<std::optional<error>(const std::exception_ptr&)> map_exception;
    /// Called after each answered request. Must not throw.
    std::function<void(const request_report&)> on_request_end;
};

/// Totals since the start, but for the first two.
struct server_counts {
    std::size_t connections_open = 0;
    std::size_t requests_running = 0;
    std::uint64_t connections_accepted = 0;
    /// Turned away because all places, or all of their client's, were taken.
    std::uint64_t connections_refused = 0;
    /// Failed accepts, for instance for want of descriptors.
    std::uint64_t accept_failures = 0;
    /// Answers by status class: [2] counts 2xx.
    std::array<std::uint64_t, 6> responses{};
};

/// Listens, and runs one coroutine for each connection. Thread: the loop's only. `routes` and what
/// its handlers use outlive the server, which must be stopped before it is destroyed.
class server {
public:
    server(
        const boost::asio::any_io_executor& loop, const router& routes, log::logger log,
        server_options options);
    server(const server&) = delete;
    server& operator=(const server&) = delete;
    ~server();

    /// Binds, listens and begins to accept. Gives the port. With a socket that listens already, it
    /// accepts there, beside whoever holds it too. Errors: invalid_argument, whose detail names the
    /// address and the reason ("cannot listen on 127.0.0.1:8080: Address already in use").
    [[nodiscard]] result<std::uint16_t> start(unique_fd listening = {});

    /// The listening socket, for another process to accept on; -1 before start() and after stop().
    [[nodiscard]] int listener() const noexcept;

    /// Accepts no more, lets idle connections ask once more for `drain_time_max`, stops what
    /// `request_context::stop` tells, and waits for running exchanges until `by`; then cuts them
    /// and waits for their coroutines. Each connection's last answer says that it closes.
    [[nodiscard]] boost::asio::awaitable<void> stop(deadline by);

    /// New connections show `identity`; those that are open keep theirs. Only for a server that
    /// has been made with one.
    void renew_tls(std::shared_ptr<const tls_identity> identity);

    [[nodiscard]] server_counts counts() const noexcept;

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::http
