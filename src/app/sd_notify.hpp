#pragma once

#include <reelsd/base/result.hpp>

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

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
    /// The daemon is stopping.
    [[nodiscard]] result<void> stopping() const { return send("STOPPING=1"); }

private:
    [[nodiscard]] result<void> send(std::string_view state) const;

    sockaddr_un address_{};
    socklen_t address_bytes_ = 0;  ///< 0: sends nothing.
};

}  // namespace reelsd::app
