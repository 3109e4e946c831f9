#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/base/token_scope.hpp>
#include <reelsd/http/request.hpp>
#include <reelsd/http/response.hpp>

#include <boost/core/noncopyable.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace reelsd::http {

class request_context;

/// The caller of a request, as the middleware has authenticated them.
struct caller_identity {
    account_id account;
    /// The account's own limit; nothing: the default one.
    std::optional<int> requests_per_minute = {};
    /// Scope of the caller's token; `all` for a session.
    token_scope scope = token_scope::all;
    // Set only for a caller with a session.
    std::string email = {};
    bool is_admin = false;
    time_point session_ends_at = {};
    std::string csrf_token = {};
};

/// Authentication and rate limits of all paths below a prefix.
struct middleware {
    using check = std::function<awaitable<std::optional<response>>(request_context&)>;
    using decision = std::function<std::optional<response>(request_context&)>;

    /// "/api/v1": applies to this path and all below it, as spelled.
    std::string_view prefix;
    /// Sets the caller, or refuses (401), even for a route that does not exist, so that
    /// unauthenticated clients do not learn which routes exist. The context has the route if it
    /// exists.
    check authenticate;
    /// Runs when route and method are known to exist, before the query is decoded and the handler
    /// runs: may refuse (429). Optional.
    check accept;
};

struct route_options {
    enum class authenticator : std::uint8_t {
        middleware,
        /// The handler authenticates and accepts, for instance in the statement that reads the
        /// resource. The middleware still does so for requests that the router refuses.
        handler,
    };

    authenticator authenticated_by = authenticator::middleware;
    /// Whether requests count toward the account's limit of requests per minute.
    bool is_rate_limited = true;
    /// Whether the handler of this head reads the body itself. Null: never. POST only.
    bool (*streams_body)(const request& head) = nullptr;
};

/// Parses a client's JSON object. Errors: invalid_argument "request body must be a JSON object" for
/// anything else, and texts of their own for nesting deeper than `foreign_json_depth_max`, numbers
/// out of range and too many members.
[[nodiscard]] input<json> json_object_from(std::string_view text);

/// One request in progress: the request, its caller, its deadlines and its responses. It lives in
/// the session's frame and outlives every handler, because handlers are awaited in place.
class request_context : boost::noncopyable {
public:
    /// `log` outlives this.
    request_context(http::request&& received, const log::logger& log, deadline answer_by);

    // The request.

    [[nodiscard]] const http::request& request() const noexcept { return request_; }
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
    /// The path segment that the route calls `{name}`, decoded. The route must have it.
    [[nodiscard]] std::string_view path_parameter(std::string_view name) const;
    /// A query parameter, decoded. The router refuses malformed queries before the handler runs.
    [[nodiscard]] std::optional<std::string_view> query(std::string_view name) const noexcept;
    /// Source of a streamed body; null unless the route streams it.
    [[nodiscard]] body_reader* body_stream() const noexcept { return body_stream_; }
    void set_body_stream(body_reader& body) noexcept { body_stream_ = &body; }
    /// The body as a JSON object. Errors: as json_object_from().
    [[nodiscard]] input<reelsd::json> json_body() const;

    // The caller.

    /// The authenticated account; set_caller() must have been called before.
    [[nodiscard]] account_id caller() const { return identity().account; }
    [[nodiscard]] const caller_identity& identity() const;
    void set_caller(caller_identity caller) { caller_ = std::move(caller); }
    /// Authenticates by the path's middleware; returns its refusal, if any. Handlers that wait or
    /// stream call it again, so that a token revoked since is refused.
    [[nodiscard]] awaitable<std::optional<response>> authenticate();
    /// Asks the middleware to accept the authenticated caller; returns its refusal, if any.
    [[nodiscard]] awaitable<std::optional<response>> accept();

    // Deadlines.

    /// When the response should be ready. A long poll uses its own time instead.
    [[nodiscard]] deadline answer_by() const noexcept { return answer_by_; }
    /// When all database queries of this request must be answered; later ones end in 503. One
    /// deadline for all, because clients must learn of an outage within 2 s.
    [[nodiscard]] deadline database_by() const noexcept { return database_by_; }
    /// Restarts the time of database_by(), after a wait for an event or a password hash.
    void restart_database_time() noexcept;
    /// Requested when the client has left or the daemon stops: a handler that waits (a long poll)
    /// should then answer at once with its current data. Stop callbacks run on the loop.
    [[nodiscard]] std::stop_token stop();

    // Responses.

    /// `value` in compact form; text that is not UTF-8 is replaced.
    [[nodiscard]] response json(status code, const reelsd::json& value) const;
    /// A body that is JSON text already, for instance a stored result.
    [[nodiscard]] response json_text(status code, std::string text) const;
    [[nodiscard]] response json_text(status code, response::shared_text text) const;
    [[nodiscard]] response no_content() const { return response{status::no_content}; }
    /// The only mapping of an error to a response. Logs the cause of a 500 or 503 with the
    /// request's id.
    [[nodiscard]] response problem(const error& why) const;
    [[nodiscard]] response problem(const request_error& why) const;
    [[nodiscard]] response problem(status code, std::string_view message) const;
    /// As problem_response(). `retry_after`: seconds; 0: the field is left out.
    [[nodiscard]] response problem(
        error_reason reason, std::string_view message, int retry_after = 0) const;
    /// 401. `challenge` is the value of `WWW-Authenticate`.
    [[nodiscard]] response unauthorized(
        error_reason reason, std::string_view text, std::string_view challenge = "Bearer") const;

    // For the router and the session.

    struct matched_route {
        /// The route's pattern, for logs and metrics; empty until one has matched.
        std::string_view pattern;
        /// Names and the indices of their path segments, in the router.
        std::span<const std::pair<std::string_view, std::size_t>> parameters;
        /// The prefix that its table was added below.
        std::string_view prefix = {};
        route_options options = {};
    };
    void set_route(matched_route route) noexcept { route_ = route; }
    [[nodiscard]] std::string_view route() const noexcept { return route_.pattern; }
    [[nodiscard]] std::string_view route_prefix() const noexcept { return route_.prefix; }
    [[nodiscard]] const route_options& options() const noexcept { return route_.options; }
    /// Null for a path without middleware.
    void set_middleware(const middleware* of_path) noexcept { middleware_ = of_path; }
    /// Errors: those of query_parameters::parse.
    [[nodiscard]] result<void> decode_query();
    void request_stop();

private:
    http::request request_;
    const log::logger& log_;
    deadline answer_by_;
    deadline database_by_;
    query_parameters query_;
    matched_route route_;
    const middleware* middleware_ = nullptr;
    body_reader* body_stream_ = nullptr;
    std::optional<caller_identity> caller_;
    /// Created by the first stop(): most requests never wait.
    std::optional<std::stop_source> stop_;
    bool stopped_ = false;
};

/// `answer` with its body compressed by gzip if the client accepts that (`Accept-Encoding`), and
/// with `Vary` in either case. For bodies without an `ETag`: each form would need its own.
[[nodiscard]] response gzip_if_accepted(const request_context& ctx, response answer);

/// Opens streams of server-sent events. Limits the open streams of each account, because each is a
/// connection that lasts for minutes. Thread: the loop's. Outlives its streams.
class event_streams {
public:
    /// 200 with the events that `write` sends; 429 when the caller has too many open streams. A
    /// stream counts until the response is destroyed, sent or not.
    [[nodiscard]] response open(const request_context& ctx, body_source write);

private:
    std::map<account_id, int> open_;
};

}  // namespace reelsd::http
