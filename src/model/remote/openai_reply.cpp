#include "openai_reply.hpp"

#include "../json_members.hpp"
#include "openai_errors.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <string>

namespace reelsd::model {
namespace {

std::optional<token_counts> openai_usage(const json& document) {
    const auto& told = member(document, "usage");
    if (!told.is_object() || member(told, "prompt_tokens").is_null()) return std::nullopt;
    const auto& prompt = member(told, "prompt_tokens_details");
    const auto& output = member(told, "completion_tokens_details");
    token_counts used;
    used.prompt = count_in(told, "prompt_tokens");
    used.cached_prompt = std::min(count_in(prompt, "cached_tokens"), used.prompt);
    used.output = count_in(told, "completion_tokens");
    used.thinking = std::min(count_in(output, "reasoning_tokens"), used.output);
    if (const auto audio = count_in(prompt, "audio_tokens"); audio > 0)
        used.by_modality.push_back(
            {.kind = modality::audio, .prompt = std::min(audio, used.prompt)});
    return used;
}

/// A text, or a list of parts with texts.
std::string content_of(const json& message) {
    const auto& content = member(message, "content");
    if (content.is_string()) return content.get<std::string>();
    std::string text;
    if (!content.is_array()) return text;
    for (const auto& part : content) text += text_in(part, "text");
    return text;
}

reply_end openai_end(std::string_view reason, bool has_text) {
    if (reason == "length") return reply_end::truncated;
    if (reason == "content_filter") return reply_end::refused;
    if (reason == "tool_calls" || reason == "function_call") return reply_end::unspecified;
    return has_text ? reply_end::complete : reply_end::unspecified;
}

}  // namespace

model_reply openai_reply(
    const net::http_response& answer, std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(answer.body);
    if (!document.is_object()) {
        return call_failure{
            .kind = failure_kind::transient,
            .detail = "an answer that is no JSON object: " + excerpt(answer.body),
            .may_be_billed = true};
    }
    if (auto failure = openai_failure_within(document, answer.head.headers, now))
        return *std::move(failure);

    reply said;
    said.used = openai_usage(document);
    const auto request = answer.head.headers.find("x-request-id");
    said.response_id = excerpt(request ? *request : text_in(document, "id"));
    const auto& choices = member(document, "choices");
    if (!choices.is_array() || choices.empty()) {
        said.detail = "no choices";
        return said;
    }
    const auto& choice = choices.front();
    const auto& message = member(choice, "message");
    const auto reason = text_in(choice, "finish_reason");
    const auto refusal = text_in(message, "refusal");
    said.text = content_of(message);
    const bool has_text = said.text.find_first_not_of(" \t\r\n") != std::string::npos;
    said.end = refusal.empty() ? openai_end(reason, has_text) : reply_end::refused;
    said.detail = excerpt(reason + ' ' + refusal);
    return said;
}

}  // namespace reelsd::model
