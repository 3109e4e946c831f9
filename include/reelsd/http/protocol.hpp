#pragma once

#include <cstdint>
#include <string_view>

namespace reelsd::http {

/// The methods that routes can have; any other method is `other`.
enum class verb : std::uint8_t { get, head, post, put, patch, remove, options, other };

/// Methods are case-sensitive (RFC 9110 9.1): "get" is `other`. `remove` is DELETE.
[[nodiscard]] verb verb_of(std::string_view method) noexcept;
/// "GET"; "OTHER" for `other`.
[[nodiscard]] std::string_view name_of(verb method) noexcept;

/// The statuses of this service's responses.
enum class status : std::uint16_t {
    ok = 200,
    created = 201,
    accepted = 202,
    no_content = 204,
    partial_content = 206,
    moved_permanently = 301,
    found = 302,
    see_other = 303,
    not_modified = 304,
    bad_request = 400,
    unauthorized = 401,
    forbidden = 403,
    not_found = 404,
    method_not_allowed = 405,
    request_timeout = 408,
    conflict = 409,
    precondition_failed = 412,
    content_too_large = 413,
    unsupported_media_type = 415,
    range_not_satisfiable = 416,
    misdirected_request = 421,
    too_many_requests = 429,
    request_header_fields_too_large = 431,
    internal_server_error = 500,
    service_unavailable = 503,
    version_not_supported = 505,
};

/// The reason phrase: "Not Found".
[[nodiscard]] std::string_view reason_of(status code) noexcept;

[[nodiscard]] constexpr unsigned number_of(status code) noexcept {
    return static_cast<unsigned>(code);
}

/// HSTS (RFC 6797): whether browsers must use HTTPS from now on.
enum class strict_transport : std::uint8_t { off, on };

}  // namespace reelsd::http
