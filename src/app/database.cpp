#include "database.hpp"

#include <reelsd/base/sleep.hpp>
#include <reelsd/db/client_program.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/db/migrator.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// A first start of the private cluster takes seconds; recovery after a crash may take a minute.
constexpr auto cluster_time_max = 60s;
/// Long enough for a server that starts at the same time, and short enough to notice a wrong
/// address.
constexpr auto connect_time_max = 10s;
/// A migration may rewrite a large table.
constexpr auto migrate_time_max = 600s;

constexpr auto connect_pause = 500ms;

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

}  // namespace

result<std::unique_ptr<database>> database::open(const settings& config, const log::logger& log) {
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
    opened->cluster_ = std::make_unique<db::private_cluster>(options, log);
    auto connection = opened->cluster_->ensure_running(deadline::after(cluster_time_max));
    if (!connection) return connection.error();
    opened->connection_ = std::move(*connection);
    return opened;
}

result<std::size_t> database::migrate(const log::logger& log) const {
    const db::migrator migrator{
        connection_, db::embedded_migrations(), db::embedded_functions(), log};
    return migrator.migrate(deadline::after(migrate_time_max));
}

result<void> with_database(
    const settings& config, const log::logger& log,
    const std::function<asio::awaitable<result<void>>(db::pool&)>& work) {
    const auto store = database::open(config, log);
    if (!store) return store.error();
    const auto migrated = (*store)->migrate(log);
    if (!migrated) return migrated.error();
    return with_pool(**store, log, work);
}

result<void> with_pool(
    const database& store, const log::logger& log,
    const std::function<asio::awaitable<result<void>>(db::pool&)>& work) {
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
    } catch (const db::failure& failure) {
        return error{failure.code(), failure.what()};
    }
    return outcome;
}

}  // namespace reelsd::app
