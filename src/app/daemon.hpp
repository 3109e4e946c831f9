#pragma once

#include "composition.hpp"
#include "sd_notify.hpp"
#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>

#include <cstdint>

namespace reelsd::app {

/// `reelsd serve`: starts what `composition` has built, and stops it in reverse.
class daemon {
public:
    /// Binds nothing yet.
    daemon(
        const settings& config, const log::logger& log, resources opened,
        const service_notifier& supervisor);

    /// Listens and serves until SIGINT or SIGTERM, and notifies the service manager. Errors: the
    /// address cannot be listened on; the database needs a newer program.
    result<void> run();

private:
    /// Both addresses.
    result<void> listen();
    /// Takes the listener of another daemon over, or opens one. Returns the port.
    result<std::uint16_t> listen_for_clients();
    void start();
    void run_loop();
    boost::asio::awaitable<void> stop_on_signal();
    boost::asio::awaitable<void> stop();

    service_notifier supervisor_;
    composition parts_;
    boost::asio::signal_set signals_;
    bool is_drained_ = true;
    bool is_unsupported_ = false;  ///< By the schema: another program is to run in its place.
};

}  // namespace reelsd::app
