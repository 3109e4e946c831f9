#pragma once

#include "sd_notify.hpp"
#include "settings.hpp"
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/http/server.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>

// Background services that concern the daemon's process and its surroundings.
namespace reelsd::app {

/// All that is referred to outlives the services.
struct process_context {
    boost::asio::any_io_executor loop;
    const settings& config;
    async::offload_pool& threads;
    http::server& server;
    log::logger log;
};

/// Logs that the service manager could not be notified.
void log_unless_notified(const log::logger& log, const result<void>& notified);

/// At SIGHUP: opens the log file again, and reads the certificate again.
[[nodiscard]] std::unique_ptr<async::background_service> make_reloader(
    const process_context& in, const service_notifier& supervisor);

/// Calls `on_unsupported` when a newer program has migrated the database so far that this one
/// cannot use it.
[[nodiscard]] std::unique_ptr<async::background_service> make_schema_monitor(
    const process_context& in, db::pool& pool, std::function<void()> on_unsupported);

/// Logs the link by which the first administrator sets a password, while there is none.
[[nodiscard]] std::unique_ptr<async::background_service> make_setup_link_logger(
    const process_context& in, dashboard::dashboard& pages);

}  // namespace reelsd::app
