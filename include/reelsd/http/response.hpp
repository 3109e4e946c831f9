#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/base/request_error.hpp>
#include <reelsd/http/request.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reelsd::http {

inline constexpr std::string_view json_type = "application/json";

/// Receives the body of a streamed response, piece by piece.
class body_writer : boost::noncopyable {
public:
    virtual ~body_writer() = default;

    /// Sends `piece`, which must outlive the call. False when the client has left or is too slow:
    /// the rest cannot be sent.
    [[nodiscard]] virtual awaitable<bool> write(std::string_view piece) = 0;
};

/// Writes a body whose size is not known in advance. It should return soon after
/// `request_context::stop()` is requested. An exception cuts the connection, so that the client
/// notices the incomplete body.
using body_source = std::function<awaitable<void>(body_writer&)>;

/// A response as a value. The session adds the fields of the connection (Content-Length,
/// Connection, Date, X-Request-Id), the security fields (src/http/response.cpp), and
/// `Cache-Control: no-store` unless one is set.
class response {
public:
    using shared_text = std::shared_ptr<const std::string>;
    using field = std::pair<std::string, std::string>;

    explicit response(status code) : code_{code} {}

    /// `content_type` is a literal such as "application/json".
    response(status code, std::string_view content_type, std::string body);
    /// Shares the body with other responses, without a copy.
    response(status code, std::string_view content_type, shared_text body);
    /// For bodies compiled into the program: `body` is never destroyed.
    [[nodiscard]] static response of_static(
        status code, std::string_view content_type, std::string_view body);

    /// 200 with a body that `source` writes after the header has been sent. The objects that
    /// `source` refers to must outlive the request.
    [[nodiscard]] static response of_stream(std::string_view content_type, body_source source);
    /// The same for a body of exactly `bytes` bytes. If `source` writes fewer, the connection is
    /// cut.
    [[nodiscard]] static response of_stream(
        status code, std::string_view content_type, std::uint64_t bytes, body_source source);

    /// Adds or replaces a header field. Throws std::invalid_argument for a name or value with
    /// control characters, and for Content-Type, which the constructors set.
    response& set(std::string_view name, std::string value) &;
    response set(std::string_view name, std::string value) &&;
    /// Adds a field, even if there are others of that name, as Set-Cookie needs.
    response& add(std::string_view name, std::string value) &;

    [[nodiscard]] status code() const noexcept { return code_; }
    /// Empty for a streamed body.
    [[nodiscard]] std::string_view body() const noexcept;
    /// Size of the body; 0 if it is static or streamed.
    [[nodiscard]] std::size_t bytes_held() const noexcept;
    /// Null unless the body is streamed.
    [[nodiscard]] const body_source* stream() const noexcept {
        return std::get_if<body_source>(&body_);
    }
    /// Size of a streamed body; empty if it is not known, or the body is not streamed.
    [[nodiscard]] std::optional<std::uint64_t> stream_bytes() const noexcept {
        return stream_bytes_;
    }
    /// Moves the source of a streamed body out; the response must have one.
    [[nodiscard]] body_source take_stream() { return std::get<body_source>(std::move(body_)); }
    /// Empty when there is no body.
    [[nodiscard]] std::string_view content_type() const noexcept { return content_type_; }
    /// All fields but Content-Type.
    [[nodiscard]] const std::vector<field>& fields() const noexcept { return fields_; }
    /// The value of the first field of that name, in any letter case; empty without one.
    [[nodiscard]] std::string_view find(std::string_view name) const noexcept;

private:
    status code_;
    std::string_view content_type_;
    std::vector<field> fields_;
    std::variant<std::string, shared_text, std::string_view, body_source> body_;
    std::optional<std::uint64_t> stream_bytes_;
};

/// The status of an error, as in docs/openapi.yaml. Exhaustive: a new code does not compile before
/// it is listed.
[[nodiscard]] status http_status_of(errc code) noexcept;
/// The status of a refused request.
[[nodiscard]] status http_status_of(error_reason reason) noexcept;

/// {"message": "...", "status": "error"} with the reason in the header `X-Error-Code`. `message` is
/// shown to clients.
[[nodiscard]] response problem_response(error_reason reason, std::string_view message);
/// The same where only the status is known: the code is `request_malformed` for 400, `server_busy`
/// for 429, and otherwise the reason phrase of the status, such as `not_found`. 503 has
/// `Retry-After`.
[[nodiscard]] response problem_response(status code, std::string_view message);

/// 401 {"error": "..."} with `WWW-Authenticate: <challenge>` and the reason in `X-Error-Code`.
[[nodiscard]] response unauthorized_response(
    error_reason reason, std::string_view text, std::string_view challenge);

/// The response for `why`. The detail is shown only for invalid_argument and limit_reached, whose
/// details are written for the caller. 503 and 429 have `Retry-After`.
[[nodiscard]] response problem_response(const error& why);

/// `Retry-After` while the database is unavailable or the daemon stops.
inline constexpr int retry_after_seconds = 5;

}  // namespace reelsd::http
