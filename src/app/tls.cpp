#include "tls.hpp"

#include <reelsd/base/clock.hpp>

#include <chrono>

namespace reelsd::app {

result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& config, const log::logger& log) {
    if (!serves_tls(config)) return std::shared_ptr<const http::tls_identity>{};
    auto loaded =
        http::tls_identity::load({.certificate = config.tls_certificate, .key = config.tls_key});
    if (!loaded) return loaded.error();
    const auto expires_at = (*loaded)->expires_at();
    const auto until = to_rfc3339(expires_at);
    if (expires_at < std::chrono::system_clock::now()) {
        // Not an error: some clients do not check. For those that do, this line is the explanation.
        log.warning("the certificate has expired", {{"expired", until}});
    } else {
        log.info("certificate loaded", {{"valid-until", until}});
    }
    return loaded;
}

}  // namespace reelsd::app
