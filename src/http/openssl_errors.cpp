#include "openssl_errors.hpp"

#include <openssl/err.h>

namespace reelsd::http {

std::string take_openssl_errors() {
    std::string reasons;
    while (const auto code = ERR_get_error()) {
        const char* const reason = ERR_reason_error_string(code);
        if (!reasons.empty()) reasons.append("; ");
        reasons.append(reason != nullptr ? reason : "error " + std::to_string(code));
    }
    return reasons;
}

}  // namespace reelsd::http
