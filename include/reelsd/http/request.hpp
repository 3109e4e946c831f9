#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/http/target.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    found = 302,
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

/// The header fields of one request, in order, in two allocations.
class header_fields {
public:
    /// Offsets and sizes of a field's name and value in a text, in bytes. 32 bits suffice: a whole
    /// header has at most 16 KiB.
    struct place {
        std::uint32_t name_begin;
        std::uint32_t name_size;
        std::uint32_t value_begin;
        std::uint32_t value_size;
    };

    header_fields() = default;
    /// All of `fields` are within `head`, which is kept as received.
    header_fields(std::string head, std::vector<place> fields);
    void add(std::string_view name, std::string_view value);

    /// The value of the first field of that name, in any letter case, without surrounding
    /// whitespace. The view is valid until this object changes.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    /// The values of all fields of that name, in order; views as those of find().
    [[nodiscard]] std::vector<std::string_view> find_all(std::string_view name) const;
    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    /// Memory of the text, in bytes.
    [[nodiscard]] std::size_t text_capacity() const noexcept { return text_.capacity(); }

private:
    [[nodiscard]] std::string_view name_at(const place& field) const noexcept;
    [[nodiscard]] std::string_view value_at(const place& field) const noexcept;

    std::string text_;
    std::vector<place> fields_;
};

/// One whole request, as a value: header and body have been read and checked.
struct request {
    verb method = verb::get;
    /// The method as sent, for logs: "PROPFIND".
    std::string method_text = "GET";
    request_target target;
    header_fields headers;
    std::string body;
    /// The client's X-Request-Id if it is_sane_request_id(), else a generated one.
    std::string id;
    /// The client's IP address, without the port: the peer's, or the one that a proxy reports.
    std::string remote;
    /// Whether the client runs on this machine: the connection comes from a loopback address, and
    /// no proxy forwards the request for a remote client.
    bool is_local = false;
};

/// Whether `text` may be the id of a request: 1-128 of [A-Za-z0-9._-].
[[nodiscard]] bool is_sane_request_id(std::string_view text) noexcept;

/// Why a request is refused before it is whole. The connection closes after the answer.
struct refusal {
    status code;
    std::string_view message;  ///< For the client: a literal.
};

struct body_piece {
    /// Empty at the end of the body and when it is refused. Valid until the next read.
    std::string_view bytes;
    /// The body is malformed, or did not arrive in time (408), or the daemon is stopping (503).
    std::optional<refusal> refused = {};
};

/// The body of a request whose handler reads it while it arrives. The first read sends "100
/// Continue" to a client that waits for it. A body that is not read to its end closes the
/// connection. Thread: the loop's.
class body_reader {
public:
    virtual ~body_reader() = default;
    /// The next piece, at most about 16 KiB.
    [[nodiscard]] virtual awaitable<body_piece> read() = 0;

protected:
    body_reader() = default;
    body_reader(const body_reader&) = default;
    body_reader& operator=(const body_reader&) = default;
};

}  // namespace reelsd::http
