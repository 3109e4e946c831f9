#include "tls.hpp"

#include "daemon.hpp"
#include <reelsd/base/clock.hpp>

#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;

/// Two small files, behind at most a few hashes of passwords.
constexpr std::chrono::seconds read_time_max{10};

}  // namespace

result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& with, const log::logger& log) {
    if (!serves_tls(with)) return std::shared_ptr<const http::tls_identity>{};
    auto loaded =
        http::tls_identity::load({.certificate = with.tls_certificate, .key = with.tls_key});
    if (!loaded) return loaded.error();
    const auto expires_at = (*loaded)->expires_at();
    const auto until = to_rfc3339(expires_at);
    if (expires_at < std::chrono::system_clock::now()) {
        // Clients that do not look may still come; the others' complaints are better explained
        // here.
        log.warning("the certificate has expired", {{"expired", until}});
    } else {
        log.info("certificate loaded", {{"valid-until", until}});
    }
    return loaded;
}

asio::awaitable<void> daemon::renew_tls() {
    result<std::shared_ptr<const http::tls_identity>> loaded{nullptr};
    const auto load = [this, &loaded] {
        loaded = load_tls(with_, log_);
        return true;
    };
    const auto ran = co_await offload_.run(deadline::after(read_time_max), load);
    if (ran && loaded) {
        server_.renew_tls(*std::move(loaded));
        co_return;
    }
    const auto& why = ran ? loaded.error() : ran.error();
    log_.error("the certificate is not renewed", {{"reason", why.detail()}});
}

}  // namespace reelsd::app
