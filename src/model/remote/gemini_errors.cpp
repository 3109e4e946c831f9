#include "gemini_errors.hpp"

#include "../json_members.hpp"
#include "server_delay.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace reelsd::model {
namespace {

/// A quota of a minute that names no time.
constexpr seconds_f minute_quota_delay{60.0};

/// What an error object says, taken together; empty where it says nothing.
struct gemini_error {
    int code = 0;
    std::string status;
    std::string message;
    std::string descriptions;  ///< Of fields that were refused.
    std::string reasons;
    std::string quotas;
    std::optional<seconds_f> delay;

    [[nodiscard]] bool says(std::initializer_list<std::string_view> any) const {
        return std::any_of(any.begin(), any.end(), [this](std::string_view text) {
            return message.find(text) != std::string::npos ||
                   descriptions.find(text) != std::string::npos ||
                   reasons.find(text) != std::string::npos;
        });
    }
};

void add_detail(gemini_error& told, const json& detail) {
    const auto type = text_in(detail, "@type");
    if (type.ends_with("ErrorInfo")) told.reasons += text_in(detail, "reason") + ' ';
    if (type.ends_with("RetryInfo")) told.delay = duration_from(text_in(detail, "retryDelay"));
    for (const auto& violation : list_in(detail, "fieldViolations")) {
        told.descriptions += text_in(violation, "description") + ' ';
    }
    for (const auto& violation : list_in(detail, "violations")) {
        told.quotas += text_in(violation, "quotaId") + ' ';
    }
}

gemini_error read_error(const json& object) {
    gemini_error told;
    const auto code = object.is_object() ? object.find("code") : object.end();
    if (object.is_object() && code != object.end() && code->is_number_integer())
        told.code = code->get<int>();
    told.status = text_in(object, "status");
    told.message = text_in(object, "message");
    for (const auto& detail : list_in(object, "details")) add_detail(told, detail);
    if (!told.delay) told.delay = delay_in_message(told.message);
    return told;
}

/// The object within a body: bare, or in a list of one.
gemini_error read_body(std::string_view body) {
    const auto document = parse_foreign_json(body);
    const auto& whole = document.is_array() && !document.empty() ? document.front() : document;
    const auto found = whole.is_object() ? whole.find("error") : whole.end();
    if (!whole.is_object() || found == whole.end()) {
        gemini_error told;
        told.message = excerpt(body);
        return told;
    }
    return read_error(*found);
}

failure_kind gemini_bad_request(const gemini_error& told) {
    if (told.status == "FAILED_PRECONDITION" || told.says({"FAILED_PRECONDITION"})) {
        return told.says({"ACTIVE state"}) ? failure_kind::file_not_ready
                                           : failure_kind::misconfigured;
    }
    if (told.says({"API_KEY", "API key"})) return failure_kind::misconfigured;
    if (told.says({"payload size exceeds", "size exceeds the limit"}))
        return failure_kind::payload_too_large;
    if (told.says(
            {"too many states",
             "response_schema",
             "responseSchema",
             "response_json_schema",
             "responseJsonSchema"}))
        return failure_kind::schema_refused;
    if (told.says({"Unknown name \"store\""})) return failure_kind::store_refused;
    if (told.says({"Unknown name", "thinking", "Thinking"})) return failure_kind::thinking_refused;
    return failure_kind::video_rejected;
}

/// A key's rights, or those to a file.
failure_kind kind_of_forbidden(const gemini_error& told, gemini_target target) {
    const bool is_file = target == gemini_target::file || told.says({"the File", "files/"});
    const bool is_key = told.says({"API key", "API_KEY", "SERVICE_DISABLED", "leaked"});
    return is_file && !is_key ? failure_kind::file_gone : failure_kind::misconfigured;
}

failure_kind kind_of_missing(const gemini_error& told, gemini_target target) {
    if (target == gemini_target::file) return failure_kind::file_gone;
    if (told.says({"models/"})) return failure_kind::misconfigured;
    return told.says({"files/", "the File", "File "}) ? failure_kind::file_gone
                                                      : failure_kind::misconfigured;
}

/// A day's quota, or one that is not there at all.
bool is_used_up(const gemini_error& told) {
    const auto names = [&told](std::string_view text) {
        return told.quotas.find(text) != std::string::npos;
    };
    return names("PerDay") || names("Daily") || told.says({"limit: 0", "PerDay", "per day"});
}

failure_kind kind_of(int status, const gemini_error& told, gemini_target target) {
    switch (status) {
        case 400: return gemini_bad_request(told);
        case 403: return kind_of_forbidden(told, target);
        case 404: return kind_of_missing(told, target);
        case 429:
            return is_used_up(told) ? failure_kind::quota_exhausted : failure_kind::rate_limited;
        case 499: return failure_kind::transient;
        default: return kind_of_status(status);
    }
}

call_failure failure_of(
    int status, const gemini_error& told, gemini_target target,
    std::chrono::system_clock::time_point now) {
    call_failure why{.kind = kind_of(status, told, target)};
    why.detail = "HTTP " + std::to_string(status) + ' ' + excerpt(told.status) + ": " +
                 excerpt(told.message + ' ' + told.descriptions + told.reasons + told.quotas);
    if (why.kind == failure_kind::quota_exhausted) {
        // A short delay rides along all the same; it is not to be believed.
        why.server_delay = until_next_quota_day(now);
    } else if (status == 429 || status >= 500) {
        why.server_delay = told.delay;
    }
    return why;
}

}  // namespace

call_failure gemini_failure(
    int status, const net::header_list& headers, std::string_view body, gemini_target target,
    std::chrono::system_clock::time_point now) {
    const auto told = read_body(body);
    auto why = failure_of(status, told, target, now);
    why.may_be_billed = is_gateway_failure(status);
    const bool may_wait = status == 429 || status >= 500;
    if (may_wait && !why.server_delay) why.server_delay = delay_in_headers(headers, now);
    if (why.kind == failure_kind::rate_limited && !why.server_delay &&
        told.quotas.find("PerMinute") != std::string::npos)
        why.server_delay = minute_quota_delay;
    return why;
}

call_failure gemini_failure(
    const json& told, gemini_target target, std::chrono::system_clock::time_point now) {
    const auto read = read_error(told);
    const bool is_status = read.code >= 400 && read.code < 600;
    return failure_of(is_status ? read.code : 500, read, target, now);
}

}  // namespace reelsd::model
