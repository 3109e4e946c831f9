#include "process_services.hpp"

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr const char* socket_variable = "NOTIFY_SOCKET";
/// Clients must not wait longer for a service manager that does not read.
constexpr timeval send_time_max{.tv_sec = 1, .tv_usec = 0};

error notify_failed(int code) {
    return error{errc::internal, fmt::format("the service manager: {}", errno_text(code))};
}

/// Two small files, after a few password hashes on the same threads.
constexpr auto certificate_time_max = 10s;
/// Upper bound on how long a daemon serves errors when the schema needs a newer program.
constexpr auto schema_check_interval = 2s;
constexpr auto schema_check_time_max = 2s;
constexpr auto setup_link_interval = 1s;

awaitable<void> renew_tls(const process_context& context) {
    const auto load = [&context] { return load_tls(context.config, context.log); };
    auto loaded = co_await context.threads.run(deadline::after(certificate_time_max), load);
    if (loaded) {
        context.server.renew_tls(*std::move(loaded));
        co_return;
    }
    const auto reason = loaded.error().detail();
    context.log.error("reloading the certificate failed", {{"reason", reason}});
}

awaitable<void> reload_on_hangup(process_context context, service_notifier supervisor) {
    asio::signal_set hangups{context.loop, SIGHUP};
    // SIGHUP was ignored while the daemon started.
    context.log.reopen();
    for (;;) {
        co_await hangups.async_wait(asio::use_awaitable);
        log_unless_notified(context.log, supervisor.reloading());
        context.log.reopen();
        context.log.info("reloading files", {{"signal", "SIGHUP"}});
        if (serves_tls(context.config)) co_await renew_tls(context);
        log_unless_notified(context.log, supervisor.ready());
    }
}

awaitable<void> monitor_schema(process_context context, std::function<void()> on_unsupported) {
    const auto& log = context.log;
    const auto known = db::embedded_migrations().back().version;
    bool is_newer_logged = false;
    for (;;) {
        co_await async::pause(schema_check_interval);
        try {
            const auto schema = co_await db::read_schema_compatibility(
                context.pool, deadline::after(schema_check_time_max));
            if (schema.floor > known) {
                log.error(
                    "the database requires a newer release; this daemon stops",
                    {{"schema", schema.newest}, {"needs", schema.floor}, {"knows", known}});
                on_unsupported();
                co_return;
            }
            if (schema.newest > known && !std::exchange(is_newer_logged, true)) {
                log.warning(
                    "a newer release has migrated the database; this daemon continues until it is "
                    "stopped",
                    {{"schema", schema.newest}, {"knows", known}});
            }
        } catch (const db::failure& failure) {
            log.debug("schema check failed", {{"reason", failure.what()}});
        }
    }
}

awaitable<void> log_setup_link(process_context context) {
    const auto& log = context.log;
    for (;;) {
        try {
            const auto link = co_await context.pages.first_administrator_link();
            if (!link.empty()) log.info("setup link created", {{"link", link}});
            co_return;
        } catch (const db::failure& failure) {
            log.debug("setup link not available yet", {{"reason", failure.what()}});
        }
        co_await async::pause(setup_link_interval);
    }
}

}  // namespace

result<service_notifier> service_notifier::from_environment() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no threads yet
    const char* const named = std::getenv(socket_variable);
    if (named == nullptr) return service_notifier{};
    auto notifier = to(named);
    ::unsetenv(socket_variable);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return notifier;
}

result<service_notifier> service_notifier::to(std::string_view socket) {
    service_notifier notifier;
    if (socket.empty()) return notifier;
    const bool is_named = socket.front() == '/' || socket.front() == '@';
    if (!is_named || socket.size() >= sizeof notifier.address_.sun_path) {
        return error{
            errc::invalid_argument,
            fmt::format("{}: \"{}\" cannot be a socket", socket_variable, socket)};
    }
    notifier.address_.sun_family = AF_UNIX;
    std::copy(socket.begin(), socket.end(), std::begin(notifier.address_.sun_path));
    // In the abstract namespace, the name follows a zero byte and is not terminated.
    if (socket.front() == '@') notifier.address_.sun_path[0] = '\0';
    notifier.address_bytes_ = static_cast<socklen_t>(
        offsetof(sockaddr_un, sun_path) + socket.size() +
        (socket.front() == '/' ? std::size_t{1} : std::size_t{0}));
    return notifier;
}

result<void> service_notifier::reloading() const {
    // systemd compares the time with that of its signal. steady_clock is CLOCK_MONOTONIC.
    const std::chrono::microseconds now =
        std::chrono::floor<std::chrono::microseconds>(monotonic_clock::now().time_since_epoch());
    return send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.count()));
}

result<void> service_notifier::send(std::string_view state) const {
    if (address_bytes_ == 0) return {};
    const unique_fd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket) return notify_failed(errno);
    if (::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &send_time_max, sizeof send_time_max) !=
        0) {
        return notify_failed(errno);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the call takes addresses
    const auto* const address = reinterpret_cast<const sockaddr*>(&address_);
    const auto sent =
        ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL, address, address_bytes_);
    if (sent < 0) return notify_failed(errno);
    return {};
}

result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& config, const log::logger& log) {
    if (!serves_tls(config)) return std::shared_ptr<const http::tls_identity>{};
    auto loaded =
        http::tls_identity::load({.certificate = config.tls_certificate, .key = config.tls_key});
    if (!loaded) return loaded.error();
    const auto expires_at = (*loaded)->expires_at();
    const auto until = to_rfc3339(expires_at);
    if (expires_at < std::chrono::system_clock::now()) {
        // Not an error: some clients do not check.
        log.warning("the certificate has expired", {{"expired", until}});
    } else {
        log.info("certificate loaded", {{"valid-until", until}});
    }
    return loaded;
}

void log_unless_notified(const log::logger& log, const result<void>& notified) {
    if (!notified)
        log.warning(
            "notifying the service manager failed", {{"reason", notified.error().detail()}});
}

std::vector<std::unique_ptr<async::background_service>> make_process_services(
    const process_context& context, const service_notifier& supervisor,
    std::function<void()> on_unsupported) {
    std::vector<std::unique_ptr<async::background_service>> services;
    const auto add = [&](const char* name, std::function<awaitable<void>()> run) {
        services.push_back(
            async::make_background_task(name, context.loop, context.log, std::move(run)));
    };
    add("reload on SIGHUP",
        [context, supervisor] { return reload_on_hangup(context, supervisor); });
    add("watch schema",
        [context, on_unsupported] { return monitor_schema(context, on_unsupported); });
    add("log the setup link", [context] { return log_setup_link(context); });
    return services;
}

}  // namespace reelsd::app
