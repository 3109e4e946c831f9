#pragma once

#include "database.hpp"
#include "handover.hpp"
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/db/pool.hpp>

namespace reelsd::app {

/// Keeps the private database running, and hands it over to other daemons on the same data
/// directory: docs/adr/0015. With an external database it only closes the pool.
/// Thread: the loop's only.
class cluster_supervisor final : public async::background_task {
public:
    /// All references outlive this.
    cluster_supervisor(
        const boost::asio::any_io_executor& loop, database& store, db::pool& pool, handover& others,
        async::offload_pool& threads, log::logger log);

    /// Sends nothing to the database, which another daemon stops, until resume().
    boost::asio::awaitable<void> suspend();
    /// Starts the database unless the other daemon has, and uses it again.
    boost::asio::awaitable<void> resume();

    boost::asio::awaitable<bool> stop(deadline by) override;

    /// The last step of a stop: closes the pool, and leaves the database to the other daemons.
    boost::asio::awaitable<void> hand_over(deadline by);

private:
    boost::asio::awaitable<void> run() override;
    /// Restarts the database, whose program was replaced, while requests wait.
    boost::asio::awaitable<void> restart();
    boost::asio::awaitable<void> suspend_pool();
    boost::asio::awaitable<void> write_back(deadline by);
    /// Runs the operation on another thread.
    boost::asio::awaitable<void> run_cluster(
        result<std::string> (db::private_cluster::*operation)(deadline));

    database& store_;
    db::pool& pool_;
    handover& others_;
    async::offload_pool& threads_;
};

}  // namespace reelsd::app
