#include "call_failure.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/invariant.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace reelsd::model {

namespace {

struct kind_traits {
    failure_kind kind;
    std::string_view name;
    errc code;
    int tries_max;
};

// A busy provider recovers soon, a broken one seldom. A slow request may have taken minutes, or
// have been billed. A refused variant of a request is misconfigured once no variant is left.
constexpr int busy_tries_max = 5;
constexpr int transient_tries_max = 3;
constexpr int slow_tries_max = 2;

constexpr auto kinds = std::to_array<kind_traits>({
    {failure_kind::misconfigured, "misconfigured", errc::model_misconfigured, 1},
    {failure_kind::unauthorized, "unauthorized", errc::model_misconfigured, 1},
    {failure_kind::quota_exhausted, "quota_exhausted", errc::model_unavailable, 1},
    {failure_kind::rate_limited, "rate_limited", errc::model_unavailable, busy_tries_max},
    {failure_kind::overloaded, "overloaded", errc::model_unavailable, busy_tries_max},
    {failure_kind::transient, "transient", errc::model_unavailable, transient_tries_max},
    {failure_kind::server_fault, "server_fault", errc::model_unavailable, transient_tries_max},
    {failure_kind::slow, "slow", errc::model_unavailable, slow_tries_max},
    {failure_kind::video_rejected, "video_rejected", errc::model_refused, 1},
    {failure_kind::payload_too_large, "payload_too_large", errc::model_refused, 1},
    {failure_kind::schema_refused, "schema_refused", errc::model_misconfigured, 1},
    {failure_kind::thinking_refused, "thinking_refused", errc::model_misconfigured, 1},
    {failure_kind::store_refused, "store_refused", errc::model_misconfigured, 1},
    {failure_kind::limit_refused, "limit_refused", errc::model_misconfigured, 1},
    {failure_kind::file_not_ready, "file_not_ready", errc::model_unavailable, busy_tries_max},
    {failure_kind::file_gone, "file_gone", errc::model_unavailable, 1},
    {failure_kind::no_calls_left, "no_calls_left", errc::limit_reached, 1},
    {failure_kind::budget_spent, "budget_spent", errc::unauthorized, 1},
    {failure_kind::storage, "storage", errc::storage_failed, 1},
    {failure_kind::no_database, "no_database", errc::database_unavailable, 1},
    {failure_kind::cancelled, "cancelled", errc::cancelled, 1},
});

const kind_traits& traits_of(failure_kind kind) noexcept {
    const auto& traits = kinds.at(static_cast<std::size_t>(kind));
    invariant(traits.kind == kind);
    return traits;
}

}  // namespace

std::string_view name_of(failure_kind kind) noexcept {
    return traits_of(kind).name;
}

int tries_max(const call_failure& why) noexcept {
    const auto usual = traits_of(why.kind).tries_max;
    const auto tries =
        why.should_retry.value_or(false) ? std::max(usual, transient_tries_max) : usual;
    // A short outage must not use up the job's paid calls.
    return why.may_be_billed ? std::min(tries, slow_tries_max) : tries;
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
    const auto& traits = traits_of(why.kind);
    return error{traits.code, std::string{traits.name} + ": " + why.detail};
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
