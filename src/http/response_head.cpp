#include "response_head.hpp"

#include <fmt/chrono.h>

#include <string_view>

namespace reelsd::http {

namespace {

// With their lengths known at compile time: each append of a `const char*` would measure it.
using std::string_view_literals::operator""sv;

constexpr auto security_fields =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"sv;

/// Data that a browser shows as a page by accident loads and runs nothing.
constexpr auto data_policy =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"sv;

constexpr auto html_fields =
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(), "
    "payment=(), usb=()\r\n"sv;

/// For a year. Without subdomains, which may belong to other services.
constexpr auto strict_transport_field = "Strict-Transport-Security: max-age=31536000\r\n"sv;

/// `begin` is the name and ": ".
void append_field(std::string& head, std::string_view begin, std::string_view value) {
    head.append(begin).append(value).append("\r\n"sv);
}

}  // namespace

bool may_have_body(status code) noexcept {
    return code != status::no_content && code != status::not_modified;
}

std::string response_head(const response& answer, const connection_fields& connection) {
    constexpr std::size_t usual_size = 640;
    std::string head;
    head.reserve(usual_size);
    head.append("HTTP/1.1 "sv).append(std::to_string(number_of(answer.code()))).append(" "sv);
    head.append(reason_of(answer.code())).append("\r\n"sv);
    append_field(head, "Date: "sv, connection.date);
    if (!answer.content_type().empty())
        append_field(head, "Content-Type: "sv, answer.content_type());
    for (const auto& [name, value] : answer.fields()) {
        append_field(head.append(name), ": "sv, value);
    }
    if (const auto bytes = answer.stream_bytes()) {
        append_field(head, "Content-Length: "sv, std::to_string(*bytes));
    } else if (answer.stream() != nullptr) {
        // In HTTP/1.0 the end of the connection ends the body.
        if (connection.is_version_1_1) head.append("Transfer-Encoding: chunked\r\n"sv);
    } else if (may_have_body(answer.code())) {
        append_field(head, "Content-Length: "sv, std::to_string(answer.body().size()));
    }
    if (answer.find("Cache-Control").empty()) head.append("Cache-Control: no-store\r\n"sv);
    head.append(security_fields);
    if (answer.find("Content-Security-Policy").empty()) head.append(data_policy);
    if (answer.content_type().starts_with("text/html")) head.append(html_fields);
    if (connection.hsts == strict_transport::on) head.append(strict_transport_field);
    append_field(head, "X-Request-Id: "sv, connection.request_id);
    if (!connection.keep_alive) head.append("Connection: close\r\n"sv);
    if (connection.keep_alive && connection.idle_time_max.count() > 0) {
        const auto seconds = std::to_string(connection.idle_time_max.count());
        append_field(head, "Keep-Alive: timeout="sv, seconds);
    }
    if (connection.keep_alive && !connection.is_version_1_1)
        head.append("Connection: keep-alive\r\n"sv);
    head.append("\r\n"sv);
    return head;
}

std::string_view http_date::text(std::chrono::system_clock::time_point now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second_ == second) return text_;
    second_ = second;
    text_ =
        fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(second.time_since_epoch().count()));
    return text_;
}

}  // namespace reelsd::http
