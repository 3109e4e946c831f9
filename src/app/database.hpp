#pragma once

#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/private_cluster.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace reelsd::db {
class pool;
}

namespace reelsd::app {

/// The database that the settings name: the operator's, or the private cluster, which runs for as
/// long as this lives (unless another daemon on the same data directory started it first).
class database {
public:
    /// Waits for a database that is still starting. Blocking. Errors: database_unavailable,
    /// storage_failed, timed_out, each with one line for the operator.
    static result<std::unique_ptr<database>> open(const settings& config, const log::logger& log);

    /// For libpq; holds a password perhaps.
    [[nodiscard]] const std::string& connection_string() const noexcept { return connection_; }
    /// Null when the operator runs the database himself.
    [[nodiscard]] db::private_cluster* cluster() noexcept { return cluster_.get(); }

    /// Brings the schema up to date; how many migrations that took. Blocking.
    [[nodiscard]] result<std::size_t> migrate(const log::logger& log) const;

private:
    database() = default;

    std::unique_ptr<db::private_cluster> cluster_;
    std::string connection_;
};

/// Runs one short piece of work on the database, whose schema has to be up to date: a loop, a pool
/// of one connection, and the time that a person waits. Blocking.
[[nodiscard]] result<void> with_pool(
    const database& store, const log::logger& log,
    const std::function<boost::asio::awaitable<result<void>>(db::pool&)>& work);

/// Runs one short piece of work on the migrated database, for the subcommands: a loop, a pool of
/// one connection, and the time that a person waits. Blocking.
[[nodiscard]] result<void> with_database(
    const settings& config, const log::logger& log,
    const std::function<boost::asio::awaitable<result<void>>(db::pool&)>& work);

}  // namespace reelsd::app
