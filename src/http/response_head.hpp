#pragma once

#include <reelsd/http/response.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {

/// Fields that the connection adds to a response.
struct connection_fields {
    std::string_view request_id;
    /// "Sun, 06 Nov 1994 08:49:37 GMT".
    std::string_view date;
    bool keep_alive;
    /// HTTP/1.0 clients need an explicit "keep-alive".
    bool is_version_1_1;
    strict_transport hsts = strict_transport::off;
    /// Sent as `Keep-Alive: timeout=` while the connection stays open, so that clients do not send
    /// into a connection that is closing. 0: not sent.
    std::chrono::seconds idle_time_max{0};
};

/// Status line and fields, closed by the empty line. 204 and 304 have no Content-Length (RFC 9110
/// 8.6); a streamed body of unknown size is sent in chunks.
[[nodiscard]] std::string response_head(
    const response& answer, const connection_fields& connection);

/// Whether a response of that status can have a body.
[[nodiscard]] bool may_have_body(status code) noexcept;

/// The time in the fixed form of RFC 9110 5.6.7. Caches the text of the last second: at thousands
/// of responses a second, formatting it would take most of a head's time.
class http_date {
public:
    [[nodiscard]] std::string_view text(std::chrono::system_clock::time_point now);

private:
    std::optional<std::chrono::sys_seconds> second_;
    std::string text_;
};

}  // namespace reelsd::http
