#include "ascii.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/http/response.hpp>

#include <algorithm>
#include <stdexcept>

namespace reelsd::http {

namespace {

constexpr std::string_view content_type_name = "Content-Type";

void check_field(std::string_view name, std::string_view value) {
    const auto breaks = [](char letter) { return is_control(letter); };
    if (!is_token(name) || std::any_of(value.begin(), value.end(), breaks) ||
        equals_ignoring_case(name, content_type_name)) {
        throw std::invalid_argument{"a response header field would break the header"};
    }
}

}  // namespace

response::response(status code, std::string_view content_type, std::string body)
    : code_{code}, content_type_{content_type}, body_{std::move(body)} {}

response::response(status code, std::string_view content_type, shared_text body)
    : code_{code}, content_type_{content_type}, body_{std::move(body)} {}

response response::of_static(status code, std::string_view content_type, std::string_view body) {
    response answer{code};
    answer.content_type_ = content_type;
    answer.body_ = body;
    return answer;
}

response response::of_stream(std::string_view content_type, body_source source) {
    response answer{status::ok};
    answer.content_type_ = content_type;
    answer.body_ = std::move(source);
    return answer;
}

response response::of_stream(
    status code, std::string_view content_type, std::uint64_t bytes, body_source source) {
    auto answer = of_stream(content_type, std::move(source));
    answer.code_ = code;
    answer.stream_bytes_ = bytes;
    return answer;
}

response& response::set(std::string_view name, std::string value) & {
    check_field(name, value);
    const auto named = [&](const field& known) { return equals_ignoring_case(known.first, name); };
    const auto known = std::find_if(fields_.begin(), fields_.end(), named);
    if (known == fields_.end()) {
        fields_.emplace_back(name, std::move(value));
    } else {
        known->second = std::move(value);
    }
    return *this;
}

response response::set(std::string_view name, std::string value) && {
    set(name, std::move(value));
    return std::move(*this);
}

response& response::add(std::string_view name, std::string value) & {
    check_field(name, value);
    fields_.emplace_back(name, std::move(value));
    return *this;
}

std::string_view response::body() const noexcept {
    if (const auto* own = std::get_if<std::string>(&body_)) return *own;
    if (const auto* shared = std::get_if<shared_text>(&body_)) {
        return *shared ? std::string_view{**shared} : std::string_view{};
    }
    const auto* lasting = std::get_if<std::string_view>(&body_);
    return lasting ? *lasting : std::string_view{};
}

std::size_t response::bytes_held() const noexcept {
    if (const auto* const own = std::get_if<std::string>(&body_)) return own->size();
    // Counted in each response that shares it: the other owners may release it before it is sent.
    const auto* const shared = std::get_if<shared_text>(&body_);
    return shared ? (*shared)->size() : 0;
}

const body_source* response::stream() const noexcept {
    return std::get_if<body_source>(&body_);
}

body_source response::take_stream() {
    return std::get<body_source>(std::move(body_));
}

std::string_view response::find(std::string_view name) const noexcept {
    for (const auto& [known, value] : fields_) {
        if (equals_ignoring_case(known, name)) return value;
    }
    return equals_ignoring_case(name, content_type_name) ? content_type_ : std::string_view{};
}

namespace {

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The message of an error whose detail is not shown.
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
        // The daemon is stopping.
        case errc::cancelled:
        // An internal wait was too long, for instance for a thread that hashes a password.
        case errc::timed_out:
        case errc::database_unavailable: return status::service_unavailable;
        case errc::connection_failed:
        case errc::proxy_failed:
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
    const bool is_for_caller =
        why.code() == errc::invalid_argument || why.code() == errc::limit_reached;
    auto answer = problem_response(code, is_for_caller ? why.detail() : message_for(code));
    if (code == status::service_unavailable || code == status::too_many_requests) {
        answer.set("Retry-After", std::to_string(retry_after_seconds));
    }
    return answer;
}

}  // namespace reelsd::http
