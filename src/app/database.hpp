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

/// The database of the settings: an external one, or the private cluster, which runs for as long as
/// this lives unless another daemon on the same data directory started it first.
class database {
public:
    /// Waits for a database that is still starting. Blocking. Errors: database_unavailable,
    /// storage_failed, timed_out; each detail is one line for the operator.
    static result<std::unique_ptr<database>> open(const settings& config, const log::logger& log);

    /// For libpq; may contain a password.
    [[nodiscard]] const std::string& connection_string() const noexcept { return connection_; }
    /// Null for an external database.
    [[nodiscard]] db::private_cluster* cluster() noexcept { return cluster_.get(); }

    /// Migrates the schema. Returns the number of migrations applied. Blocking.
    [[nodiscard]] result<std::size_t> migrate(const log::logger& log) const;

private:
    database() = default;

    std::unique_ptr<db::private_cluster> cluster_;
    std::string connection_;
};

/// Runs `work` on a loop with a pool of one connection. The schema must be up to date. Blocking.
[[nodiscard]] result<void> with_pool(
    const database& store, const log::logger& log,
    const std::function<boost::asio::awaitable<result<void>>(db::pool&)>& work);

/// Opens and migrates the database, and runs `work` like with_pool(). For subcommands. Blocking.
[[nodiscard]] result<void> with_database(
    const settings& config, const log::logger& log,
    const std::function<boost::asio::awaitable<result<void>>(db::pool&)>& work);

}  // namespace reelsd::app
