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

/// Adds these fields to a head that is being written; a page alone sets a
/// `Content-Security-Policy`:
/// - everywhere: no sniffing, no referrer, no framing, for no other origin's pages;
/// - `Content-Security-Policy: default-src 'none'`, unless the answer has one: data that is shown
///   as a page by accident loads and runs nothing;
/// - HTML: alone in its group of windows, and without the device's camera, microphone, place...;
/// - `Strict-Transport-Security` for a year, if it is on. Not for the names below ours: they may be
///   somebody else's.
void append_security_fields(std::string& head, const response& answer, strict_transport hsts);

}  // namespace reelsd::http
