#include "session.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace reelsd::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr auto token = asio::as_tuple(asio::deferred);

/// Descriptors for other uses: database, workers' downloads and files, the log.
constexpr std::size_t descriptors_reserved = 256;

/// Connections that are answered 503 at the same time. More are closed without a response.
constexpr std::size_t rejected_max = 128;

/// Pause after a failed accept, for instance without free descriptors. The listener stays readable:
/// without a pause the loop would spin.
constexpr std::chrono::milliseconds accept_pause{100};

/// One in this many failed accepts is logged, the first included.
constexpr std::uint64_t failures_per_line = 100;

/// Bounds on the time between two checks of all sessions. Deadlines are seconds, except in tests.
constexpr std::chrono::milliseconds watch_interval_max{250};
constexpr std::chrono::milliseconds watch_interval_min{5};

/// Bound on the unwinding of cancelled coroutines.
constexpr std::chrono::seconds unwind_max{1};

std::chrono::milliseconds watch_interval(const server_options& options) {
    const auto shortest = std::min(
        {options.header_time_max,
         options.body_time_max,
         options.idle_time_max,
         options.write_stall_max,
         options.write_time_max,
         options.drain_time_max,
         options.linger_time_max});
    constexpr int checks_per_deadline = 4;
    return std::clamp(shortest / checks_per_deadline, watch_interval_min, watch_interval_max);
}

std::size_t descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptors_reserved;
    return static_cast<std::size_t>(limit.rlim_cur);
}

error_code share_address(int descriptor) {
    const int yes = 1;
    if (::setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) == 0) return {};
    return {errno, boost::system::system_category()};
}

error_code open_listener(tcp::acceptor& acceptor, const server_options& options) {
    error_code failed;
    const auto host = asio::ip::make_address(options.address.host, failed);
    if (failed) return failed;
    const tcp::endpoint where{host, options.address.port};
    acceptor.open(where.protocol(), failed);
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address{true}, failed);
    if (!failed && options.shares_address) {
        failed = share_address(acceptor.native_handle());
    }
    if (!failed) acceptor.bind(where, failed);
    if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
    if (!failed) acceptor.non_blocking(true, failed);
    return failed;
}

error_code adopt_listener(tcp::acceptor& acceptor, unique_fd listening) {
    error_code failed;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket API's generic address
    if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
        return {errno, boost::system::system_category()};
    }
    acceptor.assign(bound.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), listening.get(), failed);
    if (failed) return failed;
    static_cast<void>(listening.release());
    acceptor.non_blocking(true, failed);
    return failed;
}

}  // namespace

struct server::state {
    state(
        const asio::any_io_executor& on_loop, const router& routes, log::logger log,
        server_options options)
        : loop{on_loop},
          host{routes, std::move(log), std::move(options)},
          acceptor{on_loop},
          connections_max{host.options.connections_max},
          slots{host.options.connections_per_address_max, host.options.proxy_addresses},
          connections{
              on_loop,
              [this](std::string_view task, const std::exception_ptr& why) { report(task, why); }},
          services{on_loop, [this](std::string_view task, const std::exception_ptr& why) {
                       report(task, why);
                   }} {}

    void accept(tcp::socket socket) {
        ++host.counts.connections_accepted;
        error_code failed;
        socket.non_blocking(true, failed);
        // A response is one write: waiting to fill a segment would only delay it.
        if (!failed) socket.set_option(tcp::no_delay{true}, failed);
        const auto remote = socket.remote_endpoint(failed);
        if (failed) return;  // The client has left.
        const auto client = remote.address();
        if (slots.acquired() >= connections_max) {
            return refuse(std::move(socket), client, "too many connections are open");
        }
        auto slot = slots.acquire(client);
        if (!slot) {
            return refuse(
                std::move(socket), client, "too many connections are open from this address");
        }
        connections.spawn("connection", serve(std::move(socket), std::move(slot)));
    }

    void refuse(tcp::socket socket, const asio::ip::address& remote, std::string_view reason) {
        ++host.counts.connections_refused;
        if (refusals.acquired() >= rejected_max) return;
        auto slot = refusals.acquire(remote);
        connections.spawn(
            "rejected connection", reject(std::move(socket), std::move(slot), reason));
    }

    awaitable<void> accept_connections() {
        asio::steady_timer pause{loop};
        while (!host.draining) {
            auto [failed, socket] = co_await acceptor.async_accept(token);
            if (failed == asio::error::operation_aborted) co_return;
            if (!failed) {
                accept(std::move(socket));
                continue;
            }
            note_accept_failure(failed);
            pause.expires_after(accept_pause);
            co_await pause.async_wait(token);
        }
    }

    awaitable<void> watch() {
        const auto interval = watch_interval(host.options);
        asio::steady_timer tick{loop};
        for (;;) {
            tick.expires_after(interval);
            co_await tick.async_wait(asio::deferred);
            const auto now = session::clock::now();
            for (auto& known : sessions) known.cut_if_late(now);
            stop_handlers_without_client();
        }
    }

    awaitable<void> serve(tcp::socket socket, connection_limiter::slot slot) {
        const auto held = std::move(slot);
        session served{std::move(socket), host};
        sessions.push_back(served);
        co_await served.run();
    }

    awaitable<void> reject(
        tcp::socket socket, connection_limiter::slot slot, std::string_view reason) {
        const auto held = std::move(slot);
        session refused{std::move(socket), host};
        sessions.push_back(refused);
        co_await refused.reject(reason);
    }

    void note_accept_failure(const error_code& why) {
        if (host.counts.accept_failures++ % failures_per_line != 0) return;
        host.log.warning(
            "cannot accept connections",
            {{"cause", why.message()}, {"failures", host.counts.accept_failures}});
    }

    void accept_pending() {
        // Closing the listener would reset connections that the kernel has accepted.
        error_code failed;
        for (int count = 0; count < asio::socket_base::max_listen_connections && !failed; ++count) {
            tcp::socket socket{loop};
            acceptor.accept(socket, failed);
            if (!failed) accept(std::move(socket));
        }
    }

    void close_listener() {
        error_code failed;
        // If another process holds the same socket, closing our descriptor would leave it in our
        // epoll set. Releasing removes it.
        const unique_fd closed_on_return{acceptor.release(failed)};
    }

    void stop_handlers_without_client() {
        watched.clear();
        watched_sessions.clear();
        for (auto& known : sessions) {
            if (!known.is_answering()) continue;
            watched.push_back({.fd = known.descriptor(), .events = POLLRDHUP, .revents = 0});
            watched_sessions.push_back(&known);
        }
        if (watched.empty()) return;
        // One system call for all, and no read that would consume bytes of a next request.
        const int ready = ::poll(watched.data(), watched.size(), 0);
        if (ready <= 0) return;
        for (std::size_t at = 0; at < watched.size(); ++at) {
            if (watched[at].revents != 0) watched_sessions[at]->hurry_handler();
        }
    }

    void drain_sessions() {
        const auto now = session::clock::now();
        for (auto& known : sessions) known.drain(now);
    }

    void report(std::string_view task, const std::exception_ptr& why) const {
        host.log.error("connection failed", {{"task", task}, {"cause", text_of(why)}});
    }

    asio::any_io_executor loop;
    session_host host;
    tcp::acceptor acceptor;
    std::size_t connections_max;
    /// Acquired when a connection is accepted, shortly before its session exists.
    connection_limiter slots;
    /// Of connections that are being rejected: they do not count toward the limit.
    connection_limiter refusals{0, {}};
    boost::intrusive::list<session, boost::intrusive::constant_time_size<false>> sessions;
    std::vector<pollfd> watched;
    std::vector<session*> watched_sessions;
    async::task_group connections;
    async::task_group services;
};

server::server(
    const asio::any_io_executor& loop, const router& routes, log::logger log,
    server_options options)
    : state_{std::make_unique<state>(loop, routes, std::move(log), std::move(options))} {}

server::~server() = default;

result<std::uint16_t> server::start(unique_fd listening) {
    auto& self = *state_;
    const auto& options = self.host.options;
    error_code failed = listening ? adopt_listener(self.acceptor, std::move(listening))
                                  : open_listener(self.acceptor, options);
    const auto bound = failed ? tcp::endpoint{} : self.acceptor.local_endpoint(failed);
    if (failed) {
        error_code ignored;  // The first failure is reported.
        self.acceptor.close(ignored);
        return error{
            errc::conflict,
            "cannot listen on " + text_of(options.address) + ": " + failed.message()};
    }
    const auto limit = descriptor_limit();
    const auto room = limit > 2 * descriptors_reserved ? limit - descriptors_reserved : limit / 2;
    if (self.connections_max > room) {
        self.connections_max = room;
        self.host.log.warning(
            "the open-file limit caps the connections",
            {{"open-files", limit}, {"connections", room}});
    }
    for (const auto& known : self.host.routes.routes()) {
        self.host.log.debug("route", {{"method", name_of(known.method)}, {"path", known.pattern}});
    }
    self.services.spawn("accept", self.accept_connections());
    self.services.spawn("watch", self.watch());
    return bound.port();
}

void server::drain() {
    auto& self = *state_;
    if (self.acceptor.is_open()) {
        self.accept_pending();
        self.close_listener();
    }
    self.host.draining = true;
    self.drain_sessions();
}

awaitable<void> server::stop(deadline by) {
    auto& self = *state_;
    if (!self.host.draining) drain();
    const bool served = co_await self.connections.wait_until_empty(by);
    if (!served) {
        self.host.log.warning(
            "connections aborted at shutdown", {{"count", self.connections.size()}});
        self.connections.force_stop();
    }
    self.services.request_stop();
    const auto unwound_by = deadline::after(unwind_max);
    co_await self.connections.wait_until_empty(unwound_by);
    co_await self.services.wait_until_empty(unwound_by);
}

void server::renew_tls(std::shared_ptr<const tls_identity> identity) {
    auto& options = state_->host.options;
    invariant(identity && options.tls);
    options.tls = std::move(identity);
}

int server::listener() const noexcept {
    return state_->acceptor.is_open() ? state_->acceptor.native_handle() : -1;
}

server_counts server::counts() const noexcept {
    return state_->host.counts;
}

}  // namespace reelsd::http
