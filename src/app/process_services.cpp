#include "process_services.hpp"

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Two small files, after a few password hashes on the same threads.
constexpr auto certificate_time_max = 10s;
/// Upper bound on how long a daemon serves errors when the schema needs a newer program.
constexpr auto schema_check_interval = 2s;
constexpr auto schema_check_time_max = 2s;
constexpr auto setup_link_interval = 1s;

asio::awaitable<void> renew_tls(const process_context& context) {
    result<std::shared_ptr<const http::tls_identity>> loaded{nullptr};
    const auto load = [&context, &loaded] {
        loaded = load_tls(context.config, context.log);
        return true;
    };
    const auto ran = co_await context.threads.run(deadline::after(certificate_time_max), load);
    if (ran && loaded) {
        context.server.renew_tls(*std::move(loaded));
        co_return;
    }
    const auto& why = ran ? loaded.error() : ran.error();
    context.log.error("reloading the certificate failed", {{"reason", why.detail()}});
}

asio::awaitable<void> reload_on_hangup(process_context context, service_notifier supervisor) {
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

asio::awaitable<void> monitor_schema(
    log::logger log, db::pool& pool, std::function<void()> on_unsupported) {
    const auto known = db::embedded_migrations().back().version;
    bool is_newer_logged = false;
    for (;;) {
        co_await async::pause(schema_check_interval);
        try {
            const auto schema = co_await db::read_schema_compatibility(
                pool, deadline::after(schema_check_time_max));
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

asio::awaitable<void> log_setup_link(log::logger log, dashboard::dashboard& pages) {
    for (;;) {
        try {
            const auto link = co_await pages.first_administrator_link();
            if (!link.empty()) log.info("setup link created", {{"link", link}});
            co_return;
        } catch (const db::failure& failure) {
            log.debug("setup link not available yet", {{"reason", failure.what()}});
        }
        co_await async::pause(setup_link_interval);
    }
}

}  // namespace

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

std::unique_ptr<async::background_service> make_reloader(
    const process_context& context, const service_notifier& supervisor) {
    return async::make_background_task(
        "reload on SIGHUP", context.loop, context.log, [context, supervisor] {
            return reload_on_hangup(context, supervisor);
        });
}

std::unique_ptr<async::background_service> make_schema_monitor(
    const process_context& context, db::pool& pool, std::function<void()> on_unsupported) {
    const auto& log = context.log;
    return async::make_background_task(
        "watch schema", context.loop, log, [log, &pool, on_unsupported] {
            return monitor_schema(log, pool, on_unsupported);
        });
}

std::unique_ptr<async::background_service> make_setup_link_logger(
    const process_context& context, dashboard::dashboard& pages) {
    const auto& log = context.log;
    return async::make_background_task("log the setup link", context.loop, log, [log, &pages] {
        return log_setup_link(log, pages);
    });
}

}  // namespace reelsd::app
