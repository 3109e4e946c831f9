#include "call_failure.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/invariant.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>

namespace reelsd::model {

std::string_view name_of(failure_kind kind) noexcept {
    switch (kind) {
        case failure_kind::misconfigured: return "misconfigured";
        case failure_kind::unauthorized: return "unauthorized";
        case failure_kind::quota_exhausted: return "quota_exhausted";
        case failure_kind::rate_limited: return "rate_limited";
        case failure_kind::overloaded: return "overloaded";
        case failure_kind::transient: return "transient";
        case failure_kind::server_fault: return "server_fault";
        case failure_kind::slow: return "slow";
        case failure_kind::video_rejected: return "video_rejected";
        case failure_kind::payload_too_large: return "payload_too_large";
        case failure_kind::schema_refused: return "schema_refused";
        case failure_kind::thinking_refused: return "thinking_refused";
        case failure_kind::store_refused: return "store_refused";
        case failure_kind::limit_refused: return "limit_refused";
        case failure_kind::file_not_ready: return "file_not_ready";
        case failure_kind::file_gone: return "file_gone";
        case failure_kind::no_calls_left: return "no_calls_left";
        case failure_kind::budget_spent: return "budget_spent";
        case failure_kind::storage: return "storage";
        case failure_kind::no_database: return "no_database";
        case failure_kind::cancelled: return "cancelled";
    }
    invariant(false);
    return {};
}

failure_kind kind_of_status(int http_status) noexcept {
    switch (http_status) {
        case 401: return failure_kind::unauthorized;
        case 408: return failure_kind::transient;
        case 413: return failure_kind::payload_too_large;
        case 500: return failure_kind::server_fault;
        case 503: return failure_kind::overloaded;
        case 504: return failure_kind::slow;
        default: break;
    }
    // A proxy may send a success status without an answer.
    const bool is_transient = http_status < 300 || http_status > 500;
    return is_transient ? failure_kind::transient : failure_kind::misconfigured;
}

bool is_gateway_failure(int http_status) noexcept {
    constexpr int bad_gateway = 502;
    constexpr int gateway_timeout = 504;
    return http_status == bad_gateway || http_status == gateway_timeout;
}

call_failure failure_from(const error& why) {
    switch (why.code()) {
        case errc::cancelled: return {.kind = failure_kind::cancelled};
        case errc::timed_out: return {.kind = failure_kind::slow, .detail = "no answer in time"};
        case errc::address_refused:
        case errc::invalid_argument:
            return {.kind = failure_kind::misconfigured, .detail = why.detail()};
        case errc::storage_failed:
            return {.kind = failure_kind::storage, .detail = why.to_string()};
        case errc::database_unavailable:
            return {.kind = failure_kind::no_database, .detail = why.to_string()};
        case errc::limit_reached:
            return {.kind = failure_kind::no_calls_left, .detail = why.detail()};
        case errc::unauthorized:
            return {.kind = failure_kind::budget_spent, .detail = why.detail()};
        default: return {.kind = failure_kind::transient, .detail = why.detail()};
    }
}

error error_from(const call_failure& why) {
    auto detail = std::string{name_of(why.kind)} + ": " + why.detail;
    switch (why.kind) {
        case failure_kind::misconfigured:
        case failure_kind::unauthorized:
        // All variants of the request were refused, so it is not the video's fault.
        case failure_kind::schema_refused:
        case failure_kind::thinking_refused:
        case failure_kind::store_refused:
        case failure_kind::limit_refused:
            return error{errc::model_misconfigured, std::move(detail)};
        case failure_kind::quota_exhausted:
        case failure_kind::rate_limited:
        case failure_kind::overloaded:
        case failure_kind::transient:
        case failure_kind::server_fault:
        case failure_kind::slow:
        case failure_kind::file_not_ready:
        case failure_kind::file_gone: return error{errc::model_unavailable, std::move(detail)};
        case failure_kind::video_rejected:
        case failure_kind::payload_too_large: return error{errc::model_refused, std::move(detail)};
        case failure_kind::no_calls_left: return error{errc::limit_reached, std::move(detail)};
        case failure_kind::budget_spent: return error{errc::unauthorized, std::move(detail)};
        case failure_kind::storage: return error{errc::storage_failed, std::move(detail)};
        case failure_kind::no_database: return error{errc::database_unavailable, std::move(detail)};
        case failure_kind::cancelled: return error{errc::cancelled, std::move(detail)};
    }
    return error{errc::internal, std::move(detail)};
}

std::string without_secret(std::string text, std::string_view secret) {
    if (!secret.empty()) boost::algorithm::replace_all(text, secret, "***");
    return text;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t characters_max = 300;
    auto line = clean_text(text.substr(0, 4 * characters_max), characters_max);
    std::ranges::replace(line, '\n', ' ');
    return line;
}

}  // namespace reelsd::model
