#include "process_services.hpp"

#include <reelsd/async/background_task.hpp>
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/schema_compatibility.hpp>

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

class reloader final : public async::background_task {
public:
    reloader(const process_context& context, const service_notifier& supervisor)
        : background_task{"reload on SIGHUP", context.loop, context.log},
          context_{context},
          supervisor_{supervisor},
          hangups_{context.loop, SIGHUP} {}

private:
    asio::awaitable<void> run() override {
        // SIGHUP was ignored while the daemon started.
        log().reopen();
        for (;;) {
            co_await hangups_.async_wait(asio::use_awaitable);
            log_unless_notified(log(), supervisor_.reloading());
            log().reopen();
            log().info("rereading files", {{"signal", "SIGHUP"}});
            if (serves_tls(context_.config)) co_await renew_tls();
            log_unless_notified(log(), supervisor_.ready());
        }
    }

    asio::awaitable<void> renew_tls() {
        result<std::shared_ptr<const http::tls_identity>> loaded{nullptr};
        const auto load = [this, &loaded] {
            loaded = load_tls(context_.config, log());
            return true;
        };
        const auto ran = co_await context_.threads.run(deadline::after(certificate_time_max), load);
        if (ran && loaded) {
            context_.server.renew_tls(*std::move(loaded));
            co_return;
        }
        const auto& why = ran ? loaded.error() : ran.error();
        log().error("the certificate is not renewed", {{"reason", why.detail()}});
    }

    process_context context_;
    service_notifier supervisor_;
    asio::signal_set hangups_;
};

class schema_monitor final : public async::background_task {
public:
    schema_monitor(
        const process_context& context, db::pool& pool, std::function<void()> on_unsupported)
        : background_task{"watch schema", context.loop, context.log},
          pool_{pool},
          on_unsupported_{std::move(on_unsupported)} {}

private:
    asio::awaitable<void> run() override {
        while (is_supported_) {
            co_await async::pause(schema_check_interval);
            try {
                note(co_await db::look_at_schema(pool_, deadline::after(schema_check_time_max)));
            } catch (const db::failure& failure) {
                log().debug("schema check failed", {{"reason", failure.what()}});
            }
        }
    }

    void note(const db::schema_compatibility& schema) {
        const auto known = db::embedded_migrations().back().version;
        if (schema.floor > known) {
            log().error(
                "the database needs a newer program, this one stops",
                {{"schema", schema.newest}, {"needs", schema.floor}, {"knows", known}});
            is_supported_ = false;
            on_unsupported_();
        } else if (schema.newest > known && !std::exchange(is_newer_logged_, true)) {
            log().warning(
                "a newer program has migrated the database, this one continues until it is stopped",
                {{"schema", schema.newest}, {"knows", known}});
        }
    }

    db::pool& pool_;
    std::function<void()> on_unsupported_;
    bool is_supported_ = true;
    bool is_newer_logged_ = false;
};

class setup_link_logger final : public async::background_task {
public:
    setup_link_logger(const process_context& context, dashboard::dashboard& pages)
        : background_task{"log the set-up link", context.loop, context.log}, pages_{pages} {}

private:
    asio::awaitable<void> run() override {
        for (;;) {
            try {
                const auto link = co_await pages_.first_administrator_link();
                if (!link.empty()) log().info("set-up link", {{"link", link}});
                co_return;
            } catch (const db::failure& failure) {
                log().debug("setup link not available yet", {{"reason", failure.what()}});
            }
            co_await async::pause(setup_link_interval);
        }
    }

    dashboard::dashboard& pages_;
};

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
    return std::make_unique<reloader>(context, supervisor);
}

std::unique_ptr<async::background_service> make_schema_monitor(
    const process_context& context, db::pool& pool, std::function<void()> on_unsupported) {
    return std::make_unique<schema_monitor>(context, pool, std::move(on_unsupported));
}

std::unique_ptr<async::background_service> make_setup_link_logger(
    const process_context& context, dashboard::dashboard& pages) {
    return std::make_unique<setup_link_logger>(context, pages);
}

}  // namespace reelsd::app
