#pragma once

#include <string>

namespace reelsd::http {

/// The reasons that OpenSSL keeps for this thread, oldest first and joined by "; ", for the log.
/// Empties the queue, so that no later call is blamed for them.
[[nodiscard]] std::string take_openssl_errors();

}  // namespace reelsd::http
