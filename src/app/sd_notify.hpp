#pragma once

#include <reelsd/base/result.hpp>

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

namespace reelsd::app {

/// Tells whoever supervises the daemon, such as systemd, how it stands: one datagram a change to
/// the socket that NOTIFY_SOCKET names. Source: sd_notify(3). Where nobody asked, nothing is sent.
/// Each call may wait for 1 s at most. Usable from one thread at a time.
class service_notifier {
public:
    service_notifier() = default;

    /// To the socket that the environment names, which it names no longer afterwards: children, of
    /// which PostgreSQL knows this protocol too, are not to speak for the daemon. Before there are
    /// threads. `invalid_argument` for a name that no socket can have.
    [[nodiscard]] static result<service_notifier> from_environment();

    /// `socket`: an absolute path, or @ and a name without a file. Empty: nobody asked.
    /// `invalid_argument` for anything else and for more bytes than an address has (107).
    [[nodiscard]] static result<service_notifier> to(std::string_view socket);

    /// Clients are served from now on. `internal`, as for the others, when it could not be told.
    [[nodiscard]] result<void> ready() const { return send("READY=1"); }
    /// What may have changed is read again; ready() ends it.
    [[nodiscard]] result<void> reloading() const;
    /// The daemon is on its way out, by whoever's wish.
    [[nodiscard]] result<void> stopping() const { return send("STOPPING=1"); }

private:
    [[nodiscard]] result<void> send(std::string_view state) const;

    sockaddr_un address_{};
    socklen_t address_bytes_ = 0;  ///< 0: nobody asked.
};

}  // namespace reelsd::app
