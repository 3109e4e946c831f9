#pragma once

#include "sd_notify.hpp"
#include "settings.hpp"
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/http/tls_identity.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>

// Background services for the daemon's process: signals, the service manager, the schema.
namespace reelsd::app {

/// All references outlive the services.
struct process_context {
    boost::asio::any_io_executor loop;
    const settings& config;
    async::offload_pool& threads;
    http::server& server;
    log::logger log;
};

/// Loads the certificate and key of the settings; null when there are none. Blocking. Logs until
/// when the certificate is valid. Errors: those of http::tls_identity::load().
[[nodiscard]] result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& config, const log::logger& log);

/// Logs that notifying the service manager failed.
void log_unless_notified(const log::logger& log, const result<void>& notified);

/// At SIGHUP: reopens the log file, and rereads the certificate.
[[nodiscard]] std::unique_ptr<async::background_service> make_reloader(
    const process_context& context, const service_notifier& supervisor);

/// Calls `on_unsupported` when a newer release has migrated the database so far that this one
/// cannot use it.
[[nodiscard]] std::unique_ptr<async::background_service> make_schema_monitor(
    const process_context& context, db::pool& pool, std::function<void()> on_unsupported);

/// Logs the link with which the first administrator sets a password, until there is one.
[[nodiscard]] std::unique_ptr<async::background_service> make_setup_link_logger(
    const process_context& context, dashboard::dashboard& pages);

}  // namespace reelsd::app
