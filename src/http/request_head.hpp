#pragma once

#include <reelsd/http/body_reader.hpp>
#include <reelsd/http/header_fields.hpp>
#include <reelsd/http/protocol.hpp>
#include <reelsd/http/target.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The strict reading of a request's head. Beast 1.81, which reads the bodies, would parse
/// leniently what other servers on the way may read otherwise (folded lines, lists of lengths,
/// several Hosts, odd transfer codings): such requests are how one is smuggled inside another, so
/// they are refused before it sees them. Pure functions: tables and random bytes test them.
namespace reelsd::http {

/// Where the head ends, found as the bytes arrive.
struct head_scan {
    /// How many bytes the head has, its closing empty line included; nothing as long as it is open.
    std::optional<std::size_t> end;
    /// Set when no further byte can make a head of these: a line end other than CR LF, or a control
    /// character. The client need not wait for its time to pass.
    std::optional<refusal> refused;
};

/// Looks at `received` from `from` on; what stands before has been looked at.
[[nodiscard]] head_scan scan_head(std::string_view received, std::size_t from);

/// What a head says.
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
    /// In their order, by their places in the head; values without blanks around them.
    std::vector<header_fields::place> fields;
};

/// A whole head: request line, fields, the closing empty line. Nothing when it is in order; all of
/// `into` is valid only then. Refuses with 505 a version other than HTTP/1.0 and 1.1, with 431 more
/// than `header_fields_max` fields, and with 400 everything else that RFC 9112 forbids or that two
/// servers may understand differently.
[[nodiscard]] std::optional<refusal> read_request_head(std::string_view head, request_head& into);

/// The value of the first field `X-Request-Id` in a whole head, of any form, for an answer to a
/// head that is refused.
[[nodiscard]] std::optional<std::string> request_id_in(std::string_view head);

/// Browsers send 15 to 20; 16 KiB could hold thousands.
inline constexpr std::size_t header_fields_max = 100;

}  // namespace reelsd::http
