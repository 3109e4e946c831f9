#pragma once

#include "settings.hpp"
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/tls_identity.hpp>

#include <memory>

namespace reelsd::app {

/// The certificate and key that the settings name; null when they name none. Blocking. Logs until
/// when the certificate is valid. Errors: those of http::tls_identity::load.
[[nodiscard]] result<std::shared_ptr<const http::tls_identity>> load_tls(
    const settings& config, const log::logger& log);

}  // namespace reelsd::app
