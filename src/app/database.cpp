#include "database.hpp"

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A first start of the private cluster takes seconds.
constexpr auto cluster_time_max = 60s;
/// Recovery after a crash takes a minute on a slow disk, and longer on a busy one. The package's
/// unit allows 15 minutes for a start.
constexpr auto recovery_time_max = 14min;
/// Long enough for a server that starts at the same time, and short enough to notice a wrong
/// address.
constexpr auto connect_time_max = 10s;
/// A migration may rewrite a large table.
constexpr auto migrate_time_max = 600s;

constexpr auto connect_pause = 500ms;

/// A video is written to its table and to the write-ahead log.
constexpr std::uint64_t video_writes_per_byte = 2;
/// Left for the log between two checkpoints, and for all other writes: without space for its log,
/// PostgreSQL stops and cannot recover.
constexpr std::uint64_t video_reserve_bytes = std::uint64_t{128} * 1024 * 1024;

/// Waits for a server that is still starting.
result<void> await_server(const std::string& connection, const log::logger& log) {
    const auto by = deadline::after(connect_time_max);
    for (bool is_logged = false;; is_logged = true) {
        auto answer = db::run_script(connection, "SELECT 1", by);
        if (answer || answer.error().code() != errc::database_unavailable) return answer;
        if (by.remaining() < connect_pause) return answer;
        if (!is_logged) log.info("waiting for the database", {{"reason", answer.error().detail()}});
        stoppable_sleep(connect_pause, {});
    }
}

constexpr auto supervise_interval = 1s;
/// A package's files are replaced one after the other, within about a second. A server that starts
/// in that time would have to be restarted again.
constexpr int checks_before_restart = 3;
/// Before an unsuccessful restart is repeated.
constexpr int checks_between_restarts = 60;
/// Includes the recovery of a private cluster.
constexpr auto restart_time_max = 60s;
/// Statements take milliseconds; a longer one is aborted when the database stops.
constexpr auto settle_time_max = 2s;
/// The slowest fast stop of a private server (10 s), and its start.
constexpr auto database_away_max = 15s;
/// Part of a stop's 8 s.
constexpr auto write_back_time_max = 3s;

}  // namespace

result<std::unique_ptr<database>> database::open(
    const settings& config, const log::logger& log, upgrade upgrades) {
    std::unique_ptr<database> opened{new database};
    if (!config.database_url.empty()) {
        opened->connection_ = config.database_url;
        if (!config.database_password.empty()) {
            auto connection = db::with_password(config.database_url, config.database_password);
            if (!connection) return connection.error();
            opened->connection_ = std::move(*connection);
        }
        const auto answers = await_server(opened->connection_, log);
        if (!answers) {
            return error{
                answers.error().code(),
                "the database of database-url is not available: " + answers.error().detail()};
        }
        return opened;
    }
    db::cluster_options options;
    options.data_dir = config.data_dir;
    options.binaries = config.postgres_bin_dir;
    options.upgrades = upgrades == upgrade::yes;
    opened->data_dir_ = options.data_dir;
    opened->cluster_ = std::make_unique<db::private_cluster>(options, log);
    auto connection = opened->cluster_->ensure_recovered(
        deadline::after(cluster_time_max), deadline::after(recovery_time_max));
    if (!connection) return connection.error();
    opened->connection_ = std::move(*connection);
    return opened;
}

result<void> database::check_video_space(std::uint64_t bytes) const {
    if (!cluster_) return {};
    std::error_code failed;
    const auto free = std::filesystem::space(data_dir_, failed).available;
    const auto needed = video_writes_per_byte * bytes + video_reserve_bytes;
    if (failed || free >= needed) return {};
    return error{
        errc::database_unavailable,
        fmt::format("no space for a video: {} bytes of disk needed, {} are free", needed, free)};
}

result<std::size_t> database::migrate(const log::logger& log) const {
    const db::migrator migrator{
        connection_, db::embedded_migrations(), db::embedded_functions(), log};
    return migrator.migrate(deadline::after(migrate_time_max));
}

result<void> with_database(
    const settings& config, const log::logger& log,
    const std::function<awaitable<result<void>>(db::pool&)>& work) {
    const auto store = database::open(config, log);
    if (!store) return store.error();
    const auto migrated = (*store)->migrate(log);
    if (!migrated) return migrated.error();
    return with_pool(**store, log, work);
}

result<void> with_pool(
    const database& store, const log::logger& log,
    const std::function<awaitable<result<void>>(db::pool&)>& work) {
    asio::io_context loop{1};
    db::pool_options options;
    options.connection_string = store.connection_string();
    options.connections = 1;
    db::pool pool{loop.get_executor(), options, log};
    pool.start();
    result<void> outcome = error{errc::internal, "the job did not end"};
    const auto finish = [&](const std::exception_ptr& thrown, result<void> ended) {
        pool.close();
        if (thrown) std::rethrow_exception(thrown);
        outcome = std::move(ended);
    };
    asio::co_spawn(loop, work(pool), finish);
    try {
        loop.run();
    } catch (const db::unavailable& outage) {
        if (outage.reason() != db::outage::read_only) return error{outage.code(), outage.what()};
        return error{
            outage.code(),
            "the database is read-only (a replica, or default_transaction_read_only)"};
    } catch (const db::failure& failure) {
        return error{failure.code(), failure.what()};
    }
    return outcome;
}

awaitable<void> cluster_supervisor::run() {
    if (store_.cluster() == nullptr) co_return;
    const auto& cluster = *store_.cluster();
    for (int stale_checks = 0;;) {
        co_await async::pause(supervise_interval);
        const auto state = pool_.state();
        // Only the owner restarts the server: another daemon would only abort statements.
        const bool is_stale = cluster.is_owner() && (cluster.is_outdated() || state.lacks_library);
        stale_checks = is_stale ? stale_checks + 1 : 0;
        if (stale_checks % checks_between_restarts == checks_before_restart) {
            co_await restart();
        } else if (!is_stale && !state.reachable()) {
            // The pool connects by itself.
            co_await run_cluster(&db::private_cluster::ensure_running);
        }
    }
}

awaitable<void> cluster_supervisor::suspend() {
    if (store_.cluster() == nullptr) co_return;  // The operator's database is not affected.
    log().info("another daemon is stopping the private database");
    co_await suspend_pool();
}

awaitable<void> cluster_supervisor::resume() {
    if (store_.cluster() == nullptr) co_return;
    co_await run_cluster(&db::private_cluster::ensure_running);
    pool_.resume();
}

awaitable<bool> cluster_supervisor::stop(deadline by) {
    // Otherwise the wait for a server that does not answer would exceed `by`.
    if (auto* const cluster = store_.cluster()) cluster->interrupt();
    return background_task::stop(by);
}

awaitable<void> cluster_supervisor::hand_over(deadline by) {
    const auto* const cluster = store_.cluster();
    const bool hands_over = cluster != nullptr && cluster->is_owner() && !others_.is_alone();
    if (hands_over) co_await write_back(by.at_most(write_back_time_max));
    pool_.close();
    if (hands_over) co_await others_.announce_database_stop(by);
    co_await others_.stop(by);
}

awaitable<void> cluster_supervisor::restart() {
    log().warning("restarting the private database: PostgreSQL's files were replaced");
    if (pool_.state().reachable()) co_await write_back(deadline::after(write_back_time_max));
    co_await suspend_pool();
    co_await others_.announce_database_stop(deadline::after(settle_time_max));
    co_await run_cluster(&db::private_cluster::restart);
    pool_.resume();
    others_.announce_database_start();
}

awaitable<void> cluster_supervisor::suspend_pool() {
    const db::suspension away{
        .settled_by = deadline::after(settle_time_max),
        .waiting_by = deadline::after(database_away_max)};
    const bool settled = co_await pool_.suspend(away);
    if (!settled) log().warning("stopping the private database aborts running statements");
}

awaitable<void> cluster_supervisor::write_back(deadline by) {
    // A stopping server writes its dirty pages. A checkpoint while the other daemons still use it
    // shortens their wait.
    try {
        co_await pool_.checkpoint(by);
    } catch (const db::failure& failure) {
        log().debug("checkpoint before shutdown failed", {{"reason", failure.what()}});
    }
}

awaitable<void> cluster_supervisor::run_cluster(
    result<std::string> (db::private_cluster::*operation)(deadline)) {
    const auto by = deadline::after(restart_time_max);
    const auto run = [this, operation, by] {
        const auto running = (store_.cluster()->*operation)(by);
        return running ? std::string{} : running.error().to_string();
    };
    const auto failure = co_await threads_.run(by, run);
    if (failure && !failure->empty()) {
        log().error("starting the private database failed", {{"reason", *failure}});
    }
}

}  // namespace reelsd::app
