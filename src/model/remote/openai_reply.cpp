#include "openai_reply.hpp"

#include "../json_members.hpp"
#include "retry_schedule.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace reelsd::model {
namespace {

/// An account without credit is not refilled within the hour.
constexpr seconds_f credit_delay{3600.0};

/// The texts of an error in any of the servers' formats.
struct openai_error {
    int code = 0;  ///< HTTP status, if the code is one.
    std::string name;
    std::string message;

    [[nodiscard]] bool says(std::initializer_list<std::string_view> any) const {
        return std::ranges::any_of(any, [this](std::string_view text) {
            return contains(message, text) || contains(name, text);
        });
    }
};

/// A code may be a number, a number as text or a word.
void read_code(openai_error& fault, const json& object) {
    const auto& code = member(object, "code");
    if (code.is_number_integer()) fault.code = code.get<int>();
    if (!code.is_string()) return;
    const auto& text = code.get_ref<const std::string&>();
    const auto number = parse_number<int>(text);
    fault.code = number.value_or(0);
    if (!number) fault.name += text + ' ';
}

void read_object(openai_error& fault, const json& object) {
    read_code(fault, object);
    fault.name += text_in(object, "type");
    fault.message += text_in(object, "message");
    if (object.contains("metadata")) fault.message += ' ' + text_in(object["metadata"], "raw");
}

openai_error read_document(const json& document) {
    openai_error fault;
    if (!document.is_object()) return fault;
    const auto& nested = member(document, "error");
    if (nested.is_object()) {
        read_object(fault, nested);
    } else if (nested.is_string()) {
        fault.message = nested.get<std::string>();
    } else if (document.contains("detail")) {
        const auto& detail = document["detail"];
        fault.message = detail.is_string() ? detail.get<std::string>() : detail.dump();
    } else {
        read_object(fault, document);
    }
    return fault;
}

failure_kind openai_bad_request(const openai_error& fault) {
    if (fault.says({"max_completion_tokens"})) return failure_kind::limit_refused;
    if (fault.says({"response_format", "json_schema", "guided", "grammar"}))
        return failure_kind::schema_refused;
    // Parts that the server does not know: the operator must set another mode.
    if (fault.says(
            {"content[].type",
             "invalid message format",
             "video_url",
             "input_video",
             "input_audio",
             "not a multimodal",
             "does not support",
             "At most 0"}))
        return failure_kind::misconfigured;
    if (fault.says({"max_tokens", "API key", "api_key"})) return failure_kind::misconfigured;
    return failure_kind::video_rejected;
}

failure_kind kind_of(int status, const openai_error& fault) {
    switch (status) {
        case 400: return openai_bad_request(fault);
        case 429:
            return fault.says({"insufficient_quota"}) ? failure_kind::quota_exhausted
                                                      : failure_kind::rate_limited;
        case 409: return failure_kind::transient;
        default: return kind_of_status(status);
    }
}

call_failure failure_of(
    int status, const openai_error& fault, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    call_failure why{.kind = kind_of(status, fault)};
    why.detail = "HTTP " + std::to_string(status) + ' ' + excerpt(fault.name) + ": " +
                 excerpt(fault.message);
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

std::optional<token_counts> openai_usage(const json& document) {
    const auto& usage = member(document, "usage");
    if (member(usage, "prompt_tokens").is_null()) return std::nullopt;
    const auto& prompt = member(usage, "prompt_tokens_details");
    const auto& output = member(usage, "completion_tokens_details");
    token_counts used;
    used.prompt = count_in(usage, "prompt_tokens");
    used.cached_prompt = std::min(count_in(prompt, "cached_tokens"), used.prompt);
    used.output = count_in(usage, "completion_tokens");
    used.thinking = std::min(count_in(output, "reasoning_tokens"), used.output);
    if (const auto audio = count_in(prompt, "audio_tokens"); audio > 0)
        used.by_modality.push_back(
            {.kind = modality::audio, .prompt = std::min(audio, used.prompt)});
    return used;
}

/// The text of a message, which may be a list of parts.
std::string content_of(const json& message) {
    const auto& content = member(message, "content");
    if (content.is_string()) return content.get<std::string>();
    std::string text;
    for (const auto& part : list_in(message, "content")) text += text_in(part, "text");
    return text;
}

reply_end openai_end(std::string_view reason, bool has_text) {
    if (reason == "length") return reply_end::truncated;
    if (reason == "content_filter") return reply_end::refused;
    if (reason == "tool_calls" || reason == "function_call") return reply_end::unspecified;
    return has_text ? reply_end::complete : reply_end::unspecified;
}

}  // namespace

call_failure openai_failure(
    const net::http_response& response, std::chrono::system_clock::time_point now) {
    auto fault = read_document(parse_foreign_json(response.body));
    if (fault.message.empty()) fault.message = excerpt(response.body);
    auto why = failure_of(response.status(), fault, response.head.headers, now);
    why.may_be_billed = is_gateway_failure(response.status());
    return why;
}

std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    const auto& nested = member(document, "error");
    const bool is_flat = text_in(document, "object") == "error";
    if (!nested.is_object() && !nested.is_string() && !is_flat) return std::nullopt;
    const auto fault = read_document(document);
    const bool is_status = fault.code >= 400 && fault.code < 600;
    return failure_of(is_status ? fault.code : 500, fault, headers, now);
}

model_reply openai_reply(
    const net::http_response& response, std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(response.body);
    if (!document.is_object()) {
        return call_failure{
            .kind = failure_kind::transient,
            .detail = "an answer that is not a JSON object: " + excerpt(response.body),
            .may_be_billed = true};
    }
    if (auto failure = openai_failure_within(document, response.head.headers, now))
        return *std::move(failure);

    reply reply;
    reply.used = openai_usage(document);
    const auto request_id = response.head.headers.find("x-request-id");
    reply.response_id = excerpt(request_id ? *request_id : text_in(document, "id"));
    const auto& choices = list_in(document, "choices");
    if (choices.empty()) {
        reply.detail = "no choices";
        return reply;
    }
    const auto& choice = choices.front();
    const auto& message = member(choice, "message");
    const auto reason = text_in(choice, "finish_reason");
    const auto refusal = text_in(message, "refusal");
    reply.text = content_of(message);
    const bool has_text = reply.text.find_first_not_of(" \t\r\n") != std::string::npos;
    reply.end = refusal.empty() ? openai_end(reason, has_text) : reply_end::refused;
    reply.detail = excerpt(reason + ' ' + refusal);
    return reply;
}

}  // namespace reelsd::model
