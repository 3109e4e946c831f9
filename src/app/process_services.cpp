#include "process_services.hpp"

#include "tls.hpp"
#include <reelsd/async/background_task.hpp>
#include <reelsd/async/monotonic_timer.hpp>
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

/// Two small files, behind at most a few hashes of passwords.
constexpr auto certificate_time_max = 10s;
/// Upper bound on how long a daemon that the schema has outgrown serves errors.
constexpr auto schema_check_interval = 2s;
constexpr auto schema_check_time_max = 2s;
constexpr auto setup_link_interval = 1s;

class reloader final : public async::background_task {
public:
    reloader(const process_context& in, const service_notifier& supervisor)
        : background_task{"reload on SIGHUP", in.loop, in.log},
          in_{in},
          supervisor_{supervisor},
          hangups_{in.loop, SIGHUP} {}

private:
    asio::awaitable<void> run() override {
        // A request that came while the daemon started was ignored.
        log().reopen();
        for (;;) {
            co_await hangups_.async_wait(asio::use_awaitable);
            log_unless_notified(log(), supervisor_.reloading());
            log().reopen();
            log().info("reading again what may have changed", {{"signal", "SIGHUP"}});
            if (serves_tls(in_.config)) co_await renew_tls();
            log_unless_notified(log(), supervisor_.ready());
        }
    }

    asio::awaitable<void> renew_tls() {
        result<std::shared_ptr<const http::tls_identity>> loaded{nullptr};
        const auto load = [this, &loaded] {
            loaded = load_tls(in_.config, log());
            return true;
        };
        const auto ran = co_await in_.threads.run(deadline::after(certificate_time_max), load);
        if (ran && loaded) {
            in_.server.renew_tls(*std::move(loaded));
            co_return;
        }
        const auto& why = ran ? loaded.error() : ran.error();
        log().error("the certificate is not renewed", {{"reason", why.detail()}});
    }

    process_context in_;
    service_notifier supervisor_;
    asio::signal_set hangups_;
};

class schema_monitor final : public async::background_task {
public:
    schema_monitor(const process_context& in, db::pool& pool, std::function<void()> on_unsupported)
        : background_task{"watch schema", in.loop, in.log},
          pool_{pool},
          on_unsupported_{std::move(on_unsupported)} {}

private:
    asio::awaitable<void> run() override {
        while (is_supported_) {
            co_await async::pause(schema_check_interval);
            try {
                note(co_await db::read_schema_compatibility(
                    pool_, deadline::after(schema_check_time_max)));
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
                "a newer program has migrated the database, this one goes on until it is stopped",
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
    setup_link_logger(const process_context& in, dashboard::dashboard& pages)
        : background_task{"log the set-up link", in.loop, in.log}, pages_{pages} {}

private:
    asio::awaitable<void> run() override {
        for (;;) {
            try {
                const auto link = co_await pages_.first_administrator_link();
                if (!link.empty()) log().info("set-up link", {{"link", link}});
                co_return;
            } catch (const db::failure& failure) {
                log().debug("no set-up link yet", {{"reason", failure.what()}});
            }
            co_await async::pause(setup_link_interval);
        }
    }

    dashboard::dashboard& pages_;
};

}  // namespace

void log_unless_notified(const log::logger& log, const result<void>& notified) {
    if (!notified)
        log.warning(
            "notifying the service manager failed", {{"reason", notified.error().detail()}});
}

std::unique_ptr<async::background_service> make_reloader(
    const process_context& in, const service_notifier& supervisor) {
    return std::make_unique<reloader>(in, supervisor);
}

std::unique_ptr<async::background_service> make_schema_monitor(
    const process_context& in, db::pool& pool, std::function<void()> on_unsupported) {
    return std::make_unique<schema_monitor>(in, pool, std::move(on_unsupported));
}

std::unique_ptr<async::background_service> make_setup_link_logger(
    const process_context& in, dashboard::dashboard& pages) {
    return std::make_unique<setup_link_logger>(in, pages);
}

}  // namespace reelsd::app
