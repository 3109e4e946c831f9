#pragma once

#include <reelsd/base/error.hpp>
#include <reelsd/http/protocol.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reelsd::http {

inline constexpr std::string_view json_type = "application/json";

/// Takes the body of a streamed answer, piece by piece.
class body_writer {
public:
    body_writer() = default;
    body_writer(const body_writer&) = delete;
    body_writer& operator=(const body_writer&) = delete;
    virtual ~body_writer() = default;

    /// Sends `piece`, which must live until this is over. False when the client has left or takes
    /// too long: the rest is for nobody.
    [[nodiscard]] virtual boost::asio::awaitable<bool> write(std::string_view piece) = 0;
};

/// Writes a body whose end is not known when its answer begins. It should return soon after
/// `request_context::stop()` says so. An exception cuts the connection: the client sees that the
/// body is not whole.
using body_source = std::function<boost::asio::awaitable<void>(body_writer&)>;

/// An answer as a value. The session adds what belongs to the connection: Content-Length,
/// Connection, Date, X-Request-Id, what keeps browsers from misusing it
/// (src/http/response_head.cpp), and `Cache-Control: no-store` unless one is set.
class response {
public:
    using shared_text = std::shared_ptr<const std::string>;
    using field = std::pair<std::string, std::string>;

    explicit response(status code) : code_{code} {}

    /// `content_type` is a literal such as "application/json".
    response(status code, std::string_view content_type, std::string body);
    /// For bodies that many answers share: nothing is copied.
    response(status code, std::string_view content_type, shared_text body);
    /// For bodies compiled into the program: `body` lives for ever.
    [[nodiscard]] static response of_static(
        status code, std::string_view content_type, std::string_view body);

    /// 200 with a body that `source` writes once the header is out. What `source` refers to must
    /// live as long as the request.
    [[nodiscard]] static response of_stream(std::string_view content_type, body_source source);

    /// Adds or replaces a header field. Throws std::invalid_argument for a name or value that would
    /// break the header (control characters), and for Content-Type, which comes with the body.
    response& set(std::string_view name, std::string value) &;
    response set(std::string_view name, std::string value) &&;
    /// Adds a field beside others of its name, as Set-Cookie needs.
    response& add(std::string_view name, std::string value) &;

    [[nodiscard]] status code() const noexcept { return code_; }
    /// Empty for a streamed body.
    [[nodiscard]] std::string_view body() const noexcept;
    /// Of the body, unless it lives for ever or is streamed.
    [[nodiscard]] std::size_t bytes_held() const noexcept;
    /// Null unless the body is streamed.
    [[nodiscard]] const body_source* stream() const noexcept;
    /// Takes the source of a streamed body out; the answer must have one.
    [[nodiscard]] body_source take_stream();
    /// Empty when there is no body.
    [[nodiscard]] std::string_view content_type() const noexcept { return content_type_; }
    /// All others.
    [[nodiscard]] const std::vector<field>& fields() const noexcept { return fields_; }
    /// The value of the first field of that name, in any letter case; empty if there is none.
    [[nodiscard]] std::string_view find(std::string_view name) const noexcept;

private:
    status code_;
    std::string_view content_type_;
    std::vector<field> fields_;
    std::variant<std::string, shared_text, std::string_view, body_source> body_;
};

/// The one home of what an error looks like to a client (contract, section 1).

/// The status that an error ends in. Exhaustive: a new code does not compile until it is placed.
[[nodiscard]] status http_status_of(errc code) noexcept;

/// {"message": "...", "status": "error"}. `message` must be fit for clients.
[[nodiscard]] response problem_response(status code, std::string_view message);

/// 401 {"error": "..."} with `WWW-Authenticate: <challenge>`.
[[nodiscard]] response unauthorized_response(std::string_view text, std::string_view challenge);

/// The answer for `why`. Its detail is shown for invalid_argument and limit_reached, whose details
/// are made for the caller, and for no other code. 503 carries `Retry-After`.
[[nodiscard]] response problem_response(const error& why);

/// What a client is told to wait when the database is away or the daemon goes down.
inline constexpr int retry_after_seconds = 5;

}  // namespace reelsd::http
