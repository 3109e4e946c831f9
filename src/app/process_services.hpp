#pragma once

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

#include <sys/socket.h>
#include <sys/un.h>

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

// Background services for the daemon's process: signals, the service manager, the schema.
namespace reelsd::app {

/// Notifies the service manager, such as systemd, of state changes: one datagram each to the socket
/// in NOTIFY_SOCKET. Sends nothing without that variable. Source: sd_notify(3). A call takes at
/// most 1 s. Not thread-safe.
class service_notifier {
public:
    service_notifier() = default;

    /// Reads NOTIFY_SOCKET, and unsets it: children such as PostgreSQL use the same protocol and
    /// must not notify for the daemon. Call it before threads are started. `invalid_argument` for
    /// an invalid name.
    [[nodiscard]] static result<service_notifier> from_environment();

    /// `socket`: an absolute path, or @ and an abstract name; empty: sends nothing.
    /// `invalid_argument` for any other name and for more bytes than an address has (107).
    [[nodiscard]] static result<service_notifier> to(std::string_view socket);

    /// The daemon serves clients. `internal`, as for the others, if notifying failed.
    [[nodiscard]] result<void> ready() const { return send("READY=1"); }
    /// The daemon rereads its files; ready() ends it.
    [[nodiscard]] result<void> reloading() const;
    [[nodiscard]] result<void> stopping() const { return send("STOPPING=1"); }

private:
    [[nodiscard]] result<void> send(std::string_view state) const;

    sockaddr_un address_{};
    socklen_t address_bytes_ = 0;  ///< 0: sends nothing.
};

/// All references outlive the services.
struct process_context {
    boost::asio::any_io_executor loop;
    const settings& config;
    async::offload_pool& threads;
    http::server& server;
    db::pool& pool;
    dashboard::dashboard& pages;
    log::logger log;
};

/// Loads the certificate and key of the settings; null when there are none. Blocking. Logs until
/// when the certificate is valid. Errors: those of http::tls_identity::load().
[[nodiscard]] result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& config, const log::logger& log);

/// Logs that notifying the service manager failed.
void log_unless_notified(const log::logger& log, const result<void>& notified);

/// One reopens the log file and rereads the certificate at SIGHUP. One calls `on_unsupported` when
/// a newer release has migrated the database so far that this one cannot use it. One logs the link
/// with which the first administrator sets a password, until there is one.
[[nodiscard]] std::vector<std::unique_ptr<async::background_service>> make_process_services(
    const process_context& context, const service_notifier& supervisor,
    std::function<void()> on_unsupported);

}  // namespace reelsd::app
