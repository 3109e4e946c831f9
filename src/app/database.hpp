#pragma once

#include "handover.hpp"
#include "settings.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace reelsd::db {
class pool;
}

namespace reelsd::app {

/// The database of the settings: an external one, or the private cluster, which runs for as long as
/// this lives unless another daemon on the same data directory started it first.
class database {
public:
    /// Whether a private database is upgraded to a newer PostgreSQL, which takes minutes and twice
    /// the space.
    enum class upgrade : bool { no, yes };

    /// Waits for a database that is still starting. Blocking. Errors: database_unavailable,
    /// storage_failed, timed_out; each detail is one line for the operator.
    static result<std::unique_ptr<database>> open(
        const settings& config, const log::logger& log, upgrade upgrades = upgrade::no);

    /// For libpq; may contain a password.
    [[nodiscard]] const std::string& connection_string() const noexcept { return connection_; }
    /// Null for an external database.
    [[nodiscard]] db::private_cluster* cluster() noexcept { return cluster_.get(); }

    /// Whether the file system of the private cluster has space for a video, or for the rest of
    /// one; true of an external database, whose disk this daemon cannot see. Errors:
    /// database_unavailable.
    [[nodiscard]] result<void> check_video_space(std::uint64_t bytes) const;

    /// Migrates the schema. Returns the number of migrations applied. Blocking.
    [[nodiscard]] result<std::size_t> migrate(const log::logger& log) const;

private:
    database() = default;

    std::unique_ptr<db::private_cluster> cluster_;
    std::filesystem::path data_dir_;
    std::string connection_;
};

/// Runs `work` on a loop with a pool of one connection. The schema must be up to date. Blocking.
[[nodiscard]] result<void> with_pool(
    const database& store, const log::logger& log,
    const std::function<awaitable<result<void>>(db::pool&)>& work);

/// Opens and migrates the database, and runs `work` like with_pool(). For subcommands. Blocking.
[[nodiscard]] result<void> with_database(
    const settings& config, const log::logger& log,
    const std::function<awaitable<result<void>>(db::pool&)>& work);

/// Keeps the private database running, and hands it over to other daemons on the same data
/// directory: docs/adr/0015. With an external database it only closes the pool.
/// Thread: only the loop's.
class cluster_supervisor final : public async::background_task {
public:
    /// All references outlive this.
    cluster_supervisor(
        const boost::asio::any_io_executor& loop, database& store, db::pool& pool, handover& others,
        async::offload_pool& threads, log::logger log)
        : background_task{"supervise cluster", loop, std::move(log)},
          store_{store},
          pool_{pool},
          others_{others},
          threads_{threads} {}

    /// Sends nothing to the database, which another daemon stops, until resume().
    awaitable<void> suspend();
    /// Starts the database unless the other daemon has, and uses it again.
    awaitable<void> resume();

    awaitable<bool> stop(deadline by) override;

    /// The last step of a stop: closes the pool, and leaves the database to the other daemons.
    awaitable<void> hand_over(deadline by);

private:
    awaitable<void> run() override;
    /// Restarts the database, whose program was replaced, while requests wait.
    awaitable<void> restart();
    awaitable<void> suspend_pool();
    awaitable<void> write_back(deadline by);
    awaitable<void> run_cluster(result<std::string> (db::private_cluster::*operation)(deadline));

    database& store_;
    db::pool& pool_;
    handover& others_;
    async::offload_pool& threads_;
};

}  // namespace reelsd::app
