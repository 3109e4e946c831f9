#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/db/errors.hpp>

#include <chrono>
#include <optional>
#include <utility>

// What daemons on one data directory do for each other and for their database: docs/adr/0015.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// How often a database that does not answer is looked after.
constexpr auto supervise_interval = 1s;
/// A package's files are replaced one after the other, within about a second: a server that was
/// started amid that would have to be restarted again.
constexpr int looks_before_restart = 3;
/// Until a restart that did not help is repeated, in looks.
constexpr int looks_between_restarts = 60;
/// As long as a private cluster may take to recover.
constexpr auto restart_time_max = 60s;
/// Statements take milliseconds; one that takes longer than this is cut with the database.
constexpr auto settle_time_max = 2s;
/// The slowest fast stop of a private server (10 s), and its start.
constexpr auto database_away_max = 15s;
/// Of a stop's 8 s.
constexpr auto write_back_time_max = 3s;

}  // namespace

result<std::uint16_t> daemon::listen() {
    std::optional<http::listen_address> wanted;
    if (with_.share_port && with_.listen.port != 0) wanted = with_.listen;
    auto taken_over = peers_.join(wanted);
    if (taken_over) log_.info("another daemon listens on the same socket");
    auto port = server_.start(std::move(taken_over));
    if (!port) return port;
    peers_.start(
        {.listener = [this] { return with_.share_port ? server_.listener() : -1; },
         .let_database_go = [this] { return let_database_go(); },
         .take_database_up = [this] { return take_database_up(); }});
    return port;
}

asio::awaitable<void> daemon::part_from_peers(deadline by) {
    const auto* const cluster = parts_.store->cluster();
    const bool hands_over = cluster != nullptr && cluster->is_owner() && !peers_.are_none();
    if (hands_over) co_await write_database_back(by.at_most(write_back_time_max));
    pool_.close();
    if (hands_over) co_await peers_.announce_end_of_database(by);
    co_await peers_.stop(by);
}

asio::awaitable<void> daemon::write_database_back(deadline by) {
    // A server that stops writes back what it holds in memory. What is written while the others
    // still use it need not be written while they wait.
    try {
        co_await pool_.checkpoint(by);
    } catch (const db::failure& failure) {
        log_.debug("no checkpoint before the stop", {{"reason", failure.what()}});
    }
}

asio::awaitable<void> daemon::let_database_go() {
    if (parts_.store->cluster() == nullptr) co_return;  // The operator's goes on.
    log_.info("another daemon stops the private database");
    co_await suspend_pool();
}

asio::awaitable<void> daemon::suspend_pool() {
    const db::suspension away{
        .settled_by = deadline::after(settle_time_max),
        .waiting_by = deadline::after(database_away_max)};
    const bool settled = co_await pool_.suspend(away);
    if (!settled) log_.warning("statements are cut by the end of the private database");
}

asio::awaitable<void> daemon::take_database_up() {
    if (parts_.store->cluster() == nullptr) co_return;
    co_await run_cluster(&db::private_cluster::ensure_running);
    pool_.resume();
}

asio::awaitable<void> daemon::supervise_cluster() {
    const auto& cluster = *parts_.store->cluster();
    for (int stale_looks = 0;;) {
        co_await async::pause(supervise_interval);
        const auto state = pool_.state();
        // The owner supervises: another daemon could only cut the statements of all.
        const bool is_stale = cluster.is_owner() && (cluster.is_outdated() || state.lacks_library);
        stale_looks = is_stale ? stale_looks + 1 : 0;
        if (stale_looks % looks_between_restarts == looks_before_restart) {
            co_await renew_cluster();
        } else if (!is_stale && !state.reachable()) {
            co_await run_cluster(
                &db::private_cluster::ensure_running);  // The pool connects by itself.
        }
    }
}

asio::awaitable<void> daemon::renew_cluster() {
    log_.warning("private database restarts: the files of PostgreSQL were replaced");
    if (pool_.state().reachable()) {
        co_await write_database_back(deadline::after(write_back_time_max));
    }
    co_await suspend_pool();
    co_await peers_.announce_end_of_database(deadline::after(settle_time_max));
    co_await run_cluster(&db::private_cluster::restart);
    pool_.resume();
    peers_.announce_database();
}

asio::awaitable<void> daemon::run_cluster(
    result<std::string> (db::private_cluster::*operation)(deadline)) {
    const auto by = deadline::after(restart_time_max);
    const auto restart = [this, operation, by] {
        const auto running = (parts_.store->cluster()->*operation)(by);
        return running ? std::string{} : running.error().to_string();
    };
    const auto restarted = co_await offload_.run(by, restart);
    // Only a failure is worth a line.
    if (restarted && !restarted->empty()) {
        log_.error("private database cannot be started", {{"reason", *restarted}});
    }
}

}  // namespace reelsd::app
