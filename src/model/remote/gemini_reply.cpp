#include "gemini_reply.hpp"

#include "../json_members.hpp"
#include "gemini_errors.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/json.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace reelsd::model {
namespace {

modality modality_from(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, modality>, 5> known{
        {{"TEXT", modality::text},
         {"IMAGE", modality::image},
         {"VIDEO", modality::video},
         {"AUDIO", modality::audio},
         {"DOCUMENT", modality::document}}};
    for (const auto& [word, kind] : known) {
        if (word == name) return kind;
    }
    return modality::other;
}

modality_tokens& part_of(std::vector<modality_tokens>& parts, modality kind) {
    const auto found = std::find_if(
        parts.begin(), parts.end(), [kind](const auto& one) { return one.kind == kind; });
    if (found != parts.end()) return *found;
    return parts.emplace_back(modality_tokens{.kind = kind});
}

void add_details(
    std::vector<modality_tokens>& parts, const json& details,
    std::int64_t modality_tokens::*counted) {
    if (!details.is_array()) return;
    for (const auto& detail : details) {
        part_of(parts, modality_from(text_in(detail, "modality"))).*counted +=
            count_in(detail, "tokenCount");
    }
}

std::optional<token_counts> gemini_usage(const json& document) {
    const auto& told = member(document, "usageMetadata");
    if (!told.is_object() || told.empty()) return std::nullopt;
    token_counts used;
    used.prompt = count_in(told, "promptTokenCount") + count_in(told, "toolUsePromptTokenCount");
    used.cached_prompt = std::min(count_in(told, "cachedContentTokenCount"), used.prompt);
    used.thinking = count_in(told, "thoughtsTokenCount");
    used.output = count_in(told, "candidatesTokenCount") + used.thinking;
    add_details(used.by_modality, member(told, "promptTokensDetails"), &modality_tokens::prompt);
    add_details(
        used.by_modality, member(told, "cacheTokensDetails"), &modality_tokens::cached_prompt);
    add_details(
        used.by_modality, member(told, "candidatesTokensDetails"), &modality_tokens::output);
    return used;
}

/// What is said aloud: thoughts are not.
std::string text_of(const json& candidate) {
    std::string text;
    const auto& parts = member(member(candidate, "content"), "parts");
    if (!parts.is_array()) return text;
    for (const auto& part : parts) {
        if (member(part, "thought") == true) continue;
        text += text_in(part, "text");
    }
    return text;
}

reply_end gemini_end(std::string_view reason, bool has_text) {
    if (reason == "STOP") return has_text ? reply_end::complete : reply_end::unspecified;
    if (reason == "MAX_TOKENS" || reason == "CONTINUATION") return reply_end::truncated;
    if (reason == "RECITATION") return reply_end::recited;
    constexpr std::array<std::string_view, 5> refusals{
        "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"};
    const bool is_refused = std::find(refusals.begin(), refusals.end(), reason) != refusals.end();
    return is_refused ? reply_end::refused : reply_end::unspecified;
}

void read_candidate(reply& said, const json& candidate) {
    const auto reason = text_in(candidate, "finishReason");
    said.text = text_of(candidate);
    const bool has_text = said.text.find_first_not_of(" \t\r\n") != std::string::npos;
    said.end = gemini_end(reason, has_text);
    said.detail = excerpt(reason + ' ' + text_in(candidate, "finishMessage"));
}

void read_refusal(reply& said, const json& document) {
    const auto reason = text_in(member(document, "promptFeedback"), "blockReason");
    const bool is_block = !reason.empty() && !reason.ends_with("REASON_UNSPECIFIED");
    said.end = is_block ? reply_end::refused : reply_end::unspecified;
    said.detail = is_block ? "prompt blocked: " + excerpt(reason) : "no candidates";
}

/// A model that will go away soon says so.
void add_stage(reply& said, const json& document) {
    const auto stage = text_in(member(document, "modelStatus"), "modelStage");
    if (stage != "LEGACY" && stage != "DEPRECATED" && stage != "RETIRED") return;
    said.detail += " (the model is " + stage + ": " +
                   excerpt(text_in(member(document, "modelStatus"), "retirementTime")) + ')';
}

}  // namespace

model_reply gemini_reply(std::string_view body, std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(body);
    if (!document.is_object()) {
        return call_failure{
            .kind = failure_kind::transient,
            .detail = "an answer that is no JSON object: " + excerpt(body),
            .may_be_billed = true};
    }
    // An error beside an answer takes nothing away from it, and its tokens are to be paid.
    const auto& told = member(document, "error");
    if (told.is_object() && !member(document, "candidates").is_array())
        return gemini_failure(told, gemini_target::generate, now);

    reply said;
    said.used = gemini_usage(document);
    said.response_id = excerpt(text_in(document, "responseId"));
    const auto& candidates = member(document, "candidates");
    if (candidates.is_array() && !candidates.empty()) {
        read_candidate(said, candidates.front());
    } else {
        read_refusal(said, document);
    }
    add_stage(said, document);
    return said;
}

}  // namespace reelsd::model
