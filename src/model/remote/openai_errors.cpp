#include "openai_errors.hpp"

#include "../json_members.hpp"
#include "server_delay.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>

namespace reelsd::model {
namespace {

/// Whoever has no credit left does not get some within the hour.
constexpr seconds_f credit_delay{3600.0};

/// What an error says in any of the shapes in which servers write it.
struct openai_error {
    int code = 0;  ///< As an HTTP status, where it is one.
    std::string name;
    std::string message;

    [[nodiscard]] bool says(std::initializer_list<std::string_view> any) const {
        return std::any_of(any.begin(), any.end(), [this](std::string_view text) {
            return message.find(text) != std::string::npos || name.find(text) != std::string::npos;
        });
    }
};

/// A code may be a number, a number as text or a word.
void read_code(openai_error& told, const json& object) {
    const auto found = object.find("code");
    if (found == object.end()) return;
    if (found->is_number_integer()) told.code = found->get<int>();
    if (!found->is_string()) return;
    const auto& text = found->get_ref<const std::string&>();
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), told.code);
    if (failure != std::errc{} || end != text.data() + text.size()) {
        told.code = 0;
        told.name += text + ' ';
    }
}

void read_object(openai_error& told, const json& object) {
    read_code(told, object);
    told.name += text_in(object, "type");
    told.message += text_in(object, "message");
    const auto more = object.find("metadata");
    if (more != object.end()) told.message += ' ' + text_in(*more, "raw");
}

openai_error read_document(const json& document) {
    openai_error told;
    if (!document.is_object()) return told;
    const auto nested = document.find("error");
    const auto detail = document.find("detail");
    if (nested != document.end() && nested->is_object()) {
        read_object(told, *nested);
    } else if (nested != document.end() && nested->is_string()) {
        told.message = nested->get<std::string>();
    } else if (detail != document.end()) {
        told.message = detail->is_string() ? detail->get<std::string>() : detail->dump();
    } else {
        read_object(told, document);
    }
    return told;
}

failure_kind openai_bad_request(const openai_error& told) {
    if (told.says({"max_completion_tokens"})) return failure_kind::limit_refused;
    if (told.says({"response_format", "json_schema", "guided", "grammar"}))
        return failure_kind::schema_refused;
    // Parts that the server does not know at all: it has to be asked in another mode.
    if (told.says(
            {"content[].type",
             "invalid message format",
             "video_url",
             "input_video",
             "input_audio",
             "not a multimodal",
             "does not support",
             "At most 0"}))
        return failure_kind::misconfigured;
    if (told.says({"max_tokens", "API key", "api_key"})) return failure_kind::misconfigured;
    return failure_kind::video_rejected;
}

failure_kind kind_of(int status, const openai_error& told) {
    switch (status) {
        case 400: return openai_bad_request(told);
        case 429:
            return told.says({"insufficient_quota"}) ? failure_kind::quota_exhausted
                                                     : failure_kind::rate_limited;
        case 409: return failure_kind::transient;
        default: return kind_of_status(status);
    }
}

call_failure failure_of(
    int status, const openai_error& told, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    call_failure why{.kind = kind_of(status, told)};
    why.detail =
        "HTTP " + std::to_string(status) + ' ' + excerpt(told.name) + ": " + excerpt(told.message);
    if (why.kind == failure_kind::quota_exhausted) {
        why.server_delay = credit_delay;
        return why;
    }
    why.server_delay = delay_in_headers(headers, now);
    if (!why.server_delay && why.kind == failure_kind::rate_limited)
        why.server_delay = delay_in_limits(headers);
    if (const auto word = headers.find("x-should-retry")) {
        if (*word == "true") why.should_retry = true;
        if (*word == "false") why.should_retry = false;
    }
    return why;
}

}  // namespace

call_failure openai_failure(
    int status, const net::header_list& headers, std::string_view body,
    std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(body);
    auto told = read_document(document);
    if (told.message.empty()) told.message = excerpt(body);
    auto why = failure_of(status, told, headers, now);
    why.may_be_billed = is_gateway_failure(status);
    return why;
}

std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    const auto found = document.find("error");
    const bool is_error =
        found != document.end() && !found->is_null() && (found->is_object() || found->is_string());
    const bool is_flat = text_in(document, "object") == "error";
    if (!is_error && !is_flat) return std::nullopt;
    const auto told = read_document(document);
    const bool is_status = told.code >= 400 && told.code < 600;
    return failure_of(is_status ? told.code : 500, told, headers, now);
}

}  // namespace reelsd::model
