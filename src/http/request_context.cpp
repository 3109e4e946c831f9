#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/http/request_context.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace reelsd::http {

namespace {

constexpr std::string_view body_must_be_object = "request body must be a JSON object";
/// Bound on the members of all objects in a body: the parser finds a repeated name by a linear
/// search. A schema of 100 properties may have ten keywords for each.
constexpr std::size_t body_members_max = 2000;

/// Bound on one request's wait for the database. A healthy statement takes milliseconds.
constexpr std::chrono::milliseconds database_time_max{1800};

}  // namespace

request_context::request_context(
    http::request&& received, const log::logger& log, deadline answer_by)
    : request_{std::move(received)},
      log_{log},
      answer_by_{answer_by},
      database_by_{answer_by.at_most(database_time_max)} {}

void request_context::restart_database_time() noexcept {
    database_by_ = deadline::after(database_time_max);
}

std::optional<std::string_view> request_context::header(std::string_view name) const noexcept {
    return request_.headers.find(name);
}

std::string_view request_context::path_parameter(std::string_view name) const {
    const auto is_named = [&](const auto& known) { return known.first == name; };
    const auto parameter =
        std::find_if(route_.parameters.begin(), route_.parameters.end(), is_named);
    invariant(parameter != route_.parameters.end());
    return request_.target.segments()[parameter->second];
}

std::optional<std::string_view> request_context::query(std::string_view name) const noexcept {
    return query_.find(name);
}

input<reelsd::json> json_object_from(std::string_view text) {
    const request_error malformed{error_reason::body_invalid, std::string{body_must_be_object}};
    // The parser ends its input at a NUL byte.
    if (text.find('\0') != std::string_view::npos) return malformed;
    if (json_depth_of(text) > foreign_json_depth_max) {
        return request_error{
            error_reason::body_invalid,
            fmt::format(
                "request body is nested too deeply: at most {} levels", foreign_json_depth_max)};
    }
    std::size_t members = 0;
    const auto is_kept = [&members](int, reelsd::json::parse_event_t event, const reelsd::json&) {
        return event != reelsd::json::parse_event_t::key || ++members <= body_members_max;
    };
    reelsd::json parsed;
    try {
        parsed = reelsd::json::parse(with_whole_surrogates(text), is_kept);
    } catch (const reelsd::json::out_of_range&) {
        return request_error{error_reason::body_invalid, "request body has a number out of range"};
    } catch (const reelsd::json::parse_error&) {
        return malformed;
    }
    if (!parsed.is_object()) return malformed;
    if (members > body_members_max) {
        return request_error{
            error_reason::body_invalid,
            fmt::format("request body must have at most {} members", body_members_max)};
    }
    // In place, because JSON converts to nearly everything, even to an error.
    return {boost::system::in_place_value, std::move(parsed)};
}

input<reelsd::json> request_context::json_body() const {
    return json_object_from(request_.body);
}

const caller_identity& request_context::identity() const {
    invariant(caller_.has_value());
    return *caller_;
}

awaitable<std::optional<response>> request_context::authenticate() {
    if (middleware_ == nullptr || !middleware_->authenticate) co_return std::nullopt;
    auto refused = co_await middleware_->authenticate(*this);
    // The request was held while the database failed over.
    if (!refused && database_by_.passed()) restart_database_time();
    co_return refused;
}

awaitable<std::optional<response>> request_context::accept() {
    if (middleware_ == nullptr || !middleware_->accept) co_return std::nullopt;
    co_return co_await middleware_->accept(*this);
}

std::stop_token request_context::stop() {
    if (!stop_) {
        stop_.emplace();
        if (stopped_) stop_->request_stop();
    }
    return stop_->get_token();
}

void request_context::request_stop() {
    stopped_ = true;
    if (stop_) stop_->request_stop();
}

response request_context::json(status code, const reelsd::json& value) const {
    return json_text(code, dumped(value));
}

response request_context::json_text(status code, std::string text) const {
    return response{code, json_type, std::move(text)};
}

response request_context::json_text(status code, response::shared_text text) const {
    return response{code, json_type, std::move(text)};
}

response request_context::problem(const error& why) const {
    const auto code = http_status_of(why.code());
    if (code == status::internal_server_error) {
        log_.error("request failed", {{"request", request_.id}, {"cause", why.to_string()}});
    } else if (code == status::service_unavailable) {
        log_.warning("request not served", {{"request", request_.id}, {"cause", why.to_string()}});
    }
    return problem_response(why);
}

response request_context::problem(status code, std::string_view message) const {
    return problem_response(code, message);
}

response request_context::problem(const request_error& why) const {
    return problem(why.reason(), why.detail());
}

response request_context::problem(
    error_reason reason, std::string_view message, int retry_after) const {
    auto answer = problem_response(reason, message);
    if (retry_after > 0) answer.set("Retry-After", std::to_string(retry_after));
    return answer;
}

response request_context::unauthorized(
    error_reason reason, std::string_view text, std::string_view challenge) const {
    return unauthorized_response(reason, text, challenge);
}

result<void> request_context::decode_query() {
    auto decoded = query_parameters::parse(request_.target.query());
    if (!decoded) return decoded.error();
    query_ = std::move(*decoded);
    return {};
}

namespace {

/// Per account and daemon.
constexpr int streams_max = 20;

}  // namespace

response event_streams::open(const request_context& ctx, body_source write) {
    const auto account = ctx.caller();
    if (open_[account] >= streams_max) {
        const auto message = fmt::format(
            "limit of {} concurrent event streams reached; close one first", streams_max);
        constexpr int retry_after = 30;
        return ctx.problem(error_reason::limit_event_streams, message, retry_after);
    }
    ++open_[account];
    const auto leave = [this, account](const void*) {
        if (--open_[account] == 0) open_.erase(account);
    };
    auto slot = std::shared_ptr<const void>{this, leave};
    auto answer = response::of_stream(
        "text/event-stream", [slot = std::move(slot), write = std::move(write)](body_writer& body) {
            return write(body);
        });
    // Otherwise nginx buffers the whole response.
    answer.set("X-Accel-Buffering", "no");
    return answer;
}

}  // namespace reelsd::http
