#include "settings.hpp"

#include <fmt/format.h>

namespace reelsd::app {

bool serves_tls(const settings& with) noexcept {
    return !with.tls_certificate.empty();
}

std::string public_origin(const settings& with, std::uint16_t port) {
    if (!with.public_url.empty()) return with.public_url;
    auto host = with.listen.host;
    // No browser can open "all addresses".
    if (host == "0.0.0.0") host = "127.0.0.1";
    if (host == "::") host = "::1";
    const auto* const scheme = serves_tls(with) ? "https" : "http";
    const bool is_v6 = host.find(':') != std::string::npos;
    return is_v6 ? fmt::format("{}://[{}]:{}", scheme, host, port)
                 : fmt::format("{}://{}:{}", scheme, host, port);
}

result<void> check_together(const settings& given) {
    if (given.database_url.empty() && !given.database_password.empty()) {
        return error{
            errc::invalid_argument, "database-password is for database-url, which is not set"};
    }
    if (given.tls_certificate.empty() == given.tls_key.empty()) return {};
    const auto* const missing = given.tls_key.empty() ? "tls-key" : "tls-certificate";
    return error{
        errc::invalid_argument,
        fmt::format("tls-certificate and tls-key go together: {} is not set", missing)};
}

}  // namespace reelsd::app
