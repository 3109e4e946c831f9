#include "security_headers.hpp"

#include <string_view>

namespace reelsd::http {

namespace {

constexpr std::string_view of_all =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

constexpr std::string_view of_data =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";

constexpr std::string_view of_html =
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(), "
    "payment=(), usb=()\r\n";

constexpr std::string_view of_strict_transport = "Strict-Transport-Security: max-age=31536000\r\n";

}  // namespace

void append_security_fields(std::string& head, const response& answer, strict_transport hsts) {
    head.append(of_all);
    if (answer.find("Content-Security-Policy").empty()) head.append(of_data);
    if (answer.content_type().starts_with("text/html")) head.append(of_html);
    if (hsts == strict_transport::on) head.append(of_strict_transport);
}

}  // namespace reelsd::http
