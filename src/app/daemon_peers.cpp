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
/// As long as a private cluster may take to recover.
constexpr auto restart_time_max = 60s;
/// Statements take milliseconds; one that takes longer than this is cut with the database.
constexpr auto settle_time_max = 2s;
/// The slowest fast stop of a private server (10 s), and its start.
constexpr auto database_away_max = 15s;
/// Of a stop's 8 s.
constexpr auto write_back_time_max = 3s;

constexpr db::query checkpoint_query{"app.checkpoint", "CHECKPOINT"};

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
        co_await pool_.run(by, checkpoint_query);
    } catch (const db::failure& failure) {
        log_.debug("no checkpoint before the stop", {{"reason", failure.what()}});
    }
}

asio::awaitable<void> daemon::let_database_go() {
    if (parts_.store->cluster() == nullptr) co_return;  // The operator's goes on.
    log_.info("another daemon stops the private database");
    const db::suspension away{
        .settled_by = deadline::after(settle_time_max),
        .waiting_by = deadline::after(database_away_max)};
    const bool settled = co_await pool_.suspend(away);
    if (!settled) log_.warning("statements are cut by the end of the private database");
}

asio::awaitable<void> daemon::take_database_up() {
    if (parts_.store->cluster() == nullptr) co_return;
    co_await restart_cluster();
    pool_.resume();
}

asio::awaitable<void> daemon::supervise_cluster() {
    for (;;) {
        co_await async::pause(supervise_interval);
        // The pool connects by itself.
        if (!pool_.state().reachable()) co_await restart_cluster();
    }
}

asio::awaitable<void> daemon::restart_cluster() {
    const auto by = deadline::after(restart_time_max);
    const auto restart = [this, by] {
        const auto running = parts_.store->cluster()->ensure_running(by);
        return running ? std::string{} : running.error().to_string();
    };
    const auto restarted = co_await offload_.run(by, restart);
    // Only a failure is worth a line.
    if (restarted && !restarted->empty()) {
        log_.error("private database cannot be started", {{"reason", *restarted}});
    }
}

}  // namespace reelsd::app
