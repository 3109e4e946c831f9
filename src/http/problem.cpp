#include <reelsd/base/json.hpp>
#include <reelsd/http/problem.hpp>

namespace reelsd::http {

namespace {

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// What a client is told about an error whose status stands.
std::string_view message_for(status code) noexcept {
    switch (code) {
        case status::not_found: return "not found";
        case status::conflict: return "conflict with the present state";
        case status::service_unavailable: return "the service is unavailable, try again shortly";
        default: return "internal server error";
    }
}

}  // namespace

status http_status_of(errc code) noexcept {
    switch (code) {
        case errc::invalid_argument: return status::bad_request;
        case errc::unauthorized: return status::unauthorized;
        case errc::not_found: return status::not_found;
        case errc::conflict: return status::conflict;
        case errc::limit_reached: return status::too_many_requests;
        // The daemon is going down, or the request was told to stop for it.
        case errc::cancelled:
        // Something within the house took too long: a thread for a password was not free, say.
        case errc::timed_out:
        case errc::database_unavailable: return status::service_unavailable;
        case errc::connection_failed:
        case errc::address_refused:
        case errc::platform_rate_limited:
        case errc::platform_failed:
        case errc::platform_changed:
        case errc::video_unavailable:
        case errc::video_restricted:
        case errc::login_required:
        case errc::no_video:
        case errc::separate_tracks:
        case errc::unsupported_format:
        case errc::video_too_long:
        case errc::video_too_large:
        case errc::media_failed:
        case errc::model_refused:
        case errc::model_unavailable:
        case errc::model_misconfigured:
        case errc::storage_failed:
        case errc::internal: return status::internal_server_error;
    }
    return status::internal_server_error;
}

response problem_response(status code, std::string_view message) {
    json body;
    body["message"] = message;
    body["status"] = "error";
    return response{code, json_type, dumped(body)};
}

response unauthorized_response(std::string_view text, std::string_view challenge) {
    json body;
    body["error"] = text;
    response answer{status::unauthorized, json_type, dumped(body)};
    answer.set("WWW-Authenticate", std::string{challenge});
    return answer;
}

response problem_response(const error& why) {
    const auto code = http_status_of(why.code());
    if (code == status::unauthorized) return unauthorized_response("invalid API token", "Bearer");
    const bool made_for_the_caller =
        why.code() == errc::invalid_argument || why.code() == errc::limit_reached;
    auto answer = problem_response(code, made_for_the_caller ? why.detail() : message_for(code));
    if (code == status::service_unavailable || code == status::too_many_requests) {
        answer.set("Retry-After", std::to_string(retry_after_seconds));
    }
    return answer;
}

}  // namespace reelsd::http
