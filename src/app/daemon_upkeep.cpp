#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/schema_standing.hpp>

#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>

// What changes around a daemon while it runs.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Whoever must stop has met errors for so long at most.
constexpr auto schema_look_interval = 2s;
constexpr auto schema_look_time_max = 2s;
/// For a thread to be free that asks a provider what it still holds.
constexpr auto upload_sweep_time_max = 60s;
/// Lost calls are few and an hour old: metrics and usage count them before they are settled, too.
constexpr auto lost_calls_interval = 10min;
constexpr auto lost_calls_pause = 1s;  ///< After a full step.
constexpr int lost_calls_max = 1000;   ///< A step: some 20 ms, with their totals.
constexpr auto lost_calls_time_max = 6s;

}  // namespace

asio::awaitable<void> daemon::sweep_providers() {
    const auto sweep = [this] {
        const auto is_living = [this](std::string_view run) {
            return parts_.scratch->is_living(run);
        };
        parts_.models->sweep(is_living, sweeping_.get_token());
        return true;
    };
    const auto swept = co_await offload_.run(deadline::after(upload_sweep_time_max), sweep);
    if (!swept) log_.warning("providers were not swept", {{"reason", swept.error().to_string()}});
}

asio::awaitable<void> daemon::settle_lost_calls() {
    for (;;) {
        std::int64_t settled = 0;
        static_cast<void>(
            co_await is_done("settle lost model calls", settle_some_lost_calls(settled)));
        co_await async::pause(settled < lost_calls_max ? lost_calls_interval : lost_calls_pause);
    }
}

asio::awaitable<void> daemon::settle_some_lost_calls(std::int64_t& settled) {
    usage::call_ledger_store ledger{pool_};
    settled = co_await ledger.settle_lost(lost_calls_max, deadline::after(lost_calls_time_max));
}

asio::awaitable<void> daemon::read_again_on_hangup() {
    // Who asked while the daemon started was not heard.
    log_.reopen();
    for (;;) {
        co_await hangups_.async_wait(asio::use_awaitable);
        warn_of_untold(supervisor_.reloading());
        log_.reopen();
        log_.info("reading again what may have changed", {{"signal", "SIGHUP"}});
        if (parts_.tls) co_await renew_tls();
        warn_of_untold(supervisor_.ready());
    }
}

void daemon::warn_of_untold(const result<void>& told) const {
    if (!told)
        log_.warning("the service manager was not told", {{"reason", told.error().detail()}});
}

asio::awaitable<void> daemon::watch_schema() {
    const auto known = db::embedded_migrations().back().version;
    for (bool told = false;;) {
        co_await async::pause(schema_look_interval);
        db::schema_standing now;
        try {
            now = co_await db::look_at_schema(pool_, deadline::after(schema_look_time_max));
        } catch (const db::failure& failure) {
            log_.debug("schema not looked at", {{"reason", failure.what()}});
            continue;
        }
        if (now.floor > known) {
            log_.error(
                "the database needs a newer program, this one stops",
                {{"schema", now.newest}, {"needs", now.floor}, {"knows", known}});
            is_outgrown_ = true;
            // As an operator would: there is one way to stop.
            static_cast<void>(std::raise(SIGTERM));
            co_return;
        }
        if (now.newest > known && !told) {
            told = true;
            log_.warning(
                "a newer program has migrated the database, this one goes on until it is stopped",
                {{"schema", now.newest}, {"knows", known}});
        }
    }
}

}  // namespace reelsd::app
