#pragma once

#include <reelsd/http/request.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Strict parsing of a request's head. Beast 1.81, which reads the bodies, accepts heads that other
/// servers on the way may read differently (folded lines, lists of lengths, several Hosts, odd
/// transfer codings). They allow request smuggling, so they are refused before Beast sees them.
/// Pure functions.
namespace reelsd::http {

/// Progress in finding the end of a head.
struct head_scan {
    /// Bytes of the head, including its closing empty line; nothing while it is incomplete.
    std::optional<std::size_t> end;
    /// Set when the bytes cannot begin a valid head: a line end other than CR LF, or a control
    /// character.
    std::optional<refusal> refused;
};

/// Continues a scan of `received` at `from`.
[[nodiscard]] head_scan scan_head(std::string_view received, std::size_t from);

/// A parsed head.
struct request_head {
    std::string_view method;  ///< Within the head.
    request_target target;
    bool is_version_1_1 = true;
    /// Whether it has a Content-Length, also of 0, or a Transfer-Encoding; without them there is
    /// no body (RFC 9112 6.3).
    bool announces_body = false;
    /// Of the body, in bytes; 0 without a Content-Length, and the largest number for one that is
    /// larger.
    std::uint64_t content_length = 0;
    /// In order, as places in the head; values without surrounding whitespace.
    std::vector<header_fields::place> fields;
};

/// Parses a whole head: request line, fields, closing empty line. `parsed` is valid only when this
/// returns nothing. Refuses with 505 a version other than HTTP/1.0 and 1.1, with 431 more than
/// `header_fields_max` fields, and with 400 everything else that RFC 9112 forbids or that two
/// servers may read differently.
[[nodiscard]] std::optional<refusal> read_request_head(std::string_view head, request_head& parsed);

/// The value of the first field `X-Request-Id` in a refused head, which may be malformed.
[[nodiscard]] std::optional<std::string> request_id_in(std::string_view head);

/// Browsers send 15 to 20; 16 KiB could hold thousands.
inline constexpr std::size_t header_fields_max = 100;

}  // namespace reelsd::http
