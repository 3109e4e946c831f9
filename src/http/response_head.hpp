#pragma once

#include <reelsd/http/response.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {

/// What the connection adds to an answer.
struct answer_facts {
    std::string_view request_id;
    /// "Sun, 06 Nov 1994 08:49:37 GMT".
    std::string_view date;
    bool keep_alive;
    /// HTTP/1.0 clients must be told that a connection stays open.
    bool is_version_1_1;
    strict_transport hsts = strict_transport::off;
    /// Of `Keep-Alive`, while the connection stays open: "timeout=75".
    std::string_view keep_alive_hint = {};
};

/// Status line and fields, closed by the empty line. 204 and 304 have no Content-Length (RFC
/// 9110 8.6); a streamed body comes in chunks.
[[nodiscard]] std::string response_head(const response& answer, const answer_facts& facts);

/// Whether an answer of that status has a body at all.
[[nodiscard]] bool may_have_body(status code) noexcept;

/// The time in the fixed form of RFC 9110 5.6.7. Remembers the last second's text: at thousands of
/// answers a second, writing it anew would be most of an answer's head.
class http_date {
public:
    [[nodiscard]] std::string_view text(std::chrono::system_clock::time_point now);

private:
    std::optional<std::chrono::sys_seconds> second_;
    std::string text_;
};

}  // namespace reelsd::http
