#include "gemini_api.hpp"

#include "../answer.hpp"
#include "../json_members.hpp"
#include "gemini_files.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/media/media_client.hpp>

#include <boost/algorithm/string/case_conv.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

namespace reelsd::model {
namespace {

/// Captions that appear word by word change twice a second; longer videos would cost too much.
constexpr double short_video_seconds = 45;
constexpr int thinking_tokens_usual = 1024;
/// The lowest value that every model of that family accepts.
constexpr int thinking_tokens_least = 128;

bool has_budgets(std::string_view model) {
    return model.starts_with("gemini-2.");
}

/// Models whose lowest level is MINIMAL, which others refuse.
bool has_minimal(std::string_view model) {
    return model.starts_with("gemini-3.6-flash") || model.starts_with("gemini-3.5-flash");
}

/// Null to omit thinking settings.
json thinking_config(const gemini_settings& settings, const request_options& options) {
    if (options.without_thinking || settings.thinking == "none") return nullptr;
    if (const auto tokens = parse_number<int>(settings.thinking))
        return {{"thinkingBudget", *tokens}};
    if (settings.thinking != "auto" && !options.least_thinking)
        return {{"thinkingLevel", boost::algorithm::to_upper_copy(settings.thinking)}};
    if (has_budgets(settings.model)) {
        return {
            {"thinkingBudget",
             options.least_thinking ? thinking_tokens_least : thinking_tokens_usual}};
    }
    const bool is_minimal = options.least_thinking && has_minimal(settings.model);
    return {{"thinkingLevel", is_minimal ? "MINIMAL" : "LOW"}};
}

json generation_config(
    const gemini_settings& settings, const request_options& options, const prompt& prompt,
    bool sends_video) {
    json config;
    if (options.format != answer_format::text) config["responseMimeType"] = "application/json";
    if (options.format == answer_format::schema)
        config["responseJsonSchema"] = gemini_schema(prompt.schema);
    if (sends_video && settings.media_resolution != "none")
        config["mediaResolution"] =
            "MEDIA_RESOLUTION_" + boost::algorithm::to_upper_copy(settings.media_resolution);
    config["maxOutputTokens"] = settings.output_tokens_max * (options.larger_cap ? 2 : 1);
    if (const auto thinking = thinking_config(settings, options); !thinking.is_null())
        config["thinkingConfig"] = thinking;
    return config;
}

json safety_settings(const gemini_settings& settings) {
    constexpr std::array<const char*, 4> categories{
        "HARM_CATEGORY_HARASSMENT",
        "HARM_CATEGORY_HATE_SPEECH",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT",
        "HARM_CATEGORY_DANGEROUS_CONTENT"};
    auto list = json::array();
    for (const auto* const category : categories)
        list.push_back({{"category", category}, {"threshold", settings.safety_threshold}});
    return list;
}

double frame_rate_for(const gemini_settings& settings, double duration_seconds) {
    if (settings.frame_rate > 0) return settings.frame_rate;
    return duration_seconds <= short_video_seconds ? 2.0 : 1.0;
}

/// Gemini accepts strings and numbers; a nullable type allows null. Empty: any value of the type.
json gemini_enum(const json& choices) {
    auto accepted = json::array();
    for (const auto& choice : choices) {
        if (choice.is_boolean()) return json::array();
        if (!choice.is_null()) accepted.push_back(choice);
    }
    return accepted;
}

class gemini_session final : public chat_session {
public:
    gemini_session(
        const gemini_settings& settings, const gemini_files& files, const video_input* video,
        const prompt& prompt)
        : settings_{settings}, files_{files}, video_{video}, prompt_{prompt} {}
    ~gemini_session() override {
        if (uploaded_) files_.remove(*uploaded_);
    }

    prepared_request request_for(
        const request_options& options, const deadline& by, const std::stop_token& stop) override {
        if (video_ == nullptr) return request_for_text(options, by);
        const auto video = whole_file(video_->file);
        if (!video) return video.error();
        auto sent_options = options;
        if (video->bytes > static_cast<std::uint64_t>(settings_.inline_bytes_max))
            sent_options.as_file = true;
        if (sent_options.as_file && !uploaded_) {
            auto uploaded =
                files_.upload(video_->file, media::video_mime_type(video_->file), by, stop);
            if (!uploaded) return uploaded.error();
            uploaded_ = *std::move(uploaded);
        }
        return request_with(sent_options, *video, by);
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& response) const override {
        if (response.status() == 200) return gemini_reply(response.body);
        return gemini_failure(response);
    }

    /// Removes it as well, because an unusable file may still exist.
    void forget_upload() override {
        if (uploaded_) files_.remove(*uploaded_);
        uploaded_.reset();
    }

private:
    [[nodiscard]] net::http_request request_with(
        const request_options& options, const net::file_range& video, const deadline& by) const {
        const gemini_video described{
            .duration_seconds = video_->probe.duration_seconds,
            .mime_type = media::video_mime_type(video_->file)};
        auto body = gemini_body_for(settings_, options, prompt_, described);
        auto request = request_without_body(by);
        auto& sent = request.streamed_body.emplace();
        sent.add_text(std::move(body.before));
        if (options.as_file) {
            sent.add_text(json(uploaded_->uri).dump());
        } else {
            sent.add_base64(video);
        }
        sent.add_text(std::move(body.after));
        return request;
    }

    [[nodiscard]] net::http_request request_for_text(
        const request_options& options, const deadline& by) const {
        auto request = request_without_body(by);
        auto body = gemini_body_for(settings_, options, prompt_, std::nullopt);
        request.streamed_body.emplace().add_text(std::move(body.before));
        return request;
    }

    [[nodiscard]] net::http_request request_without_body(const deadline& by) const {
        net::http_request request{
            .method = net::http_method::post,
            .url =
                fmt::format("{}/v1beta/models/{}:generateContent", settings_.url, settings_.model)};
        const auto left = std::clamp<deadline::clock::duration>(
            by.remaining(), std::chrono::seconds{1}, settings_.answer_time_max);
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(left);
        request.headers = {
            {.name = "x-goog-api-key", .value = settings_.key},
            {.name = "Content-Type", .value = "application/json"},
            {.name = "X-Server-Timeout", .value = std::to_string(seconds.count())}};
        request.fresh_connection = true;
        return request;
    }

    const gemini_settings& settings_;
    const gemini_files& files_;
    const video_input* video_;  ///< Null: text alone.
    const prompt& prompt_;
    std::optional<uploaded_file> uploaded_;
};

class gemini_api final : public chat_api {
public:
    gemini_api(gemini_settings settings, const net::http_client& http, const log::logger& log)
        : chat_api{{.provider = "gemini", .model = settings.model, .secret = settings.key}},
          settings_{std::move(settings)},
          files_{settings_, http, log} {}

    [[nodiscard]] std::string media_note(const video_input& /*video*/) const override { return {}; }

    [[nodiscard]] std::unique_ptr<chat_session> open(
        const video_input* video, const prompt& prompt) const override {
        return std::make_unique<gemini_session>(settings_, files_, video, prompt);
    }

    [[nodiscard]] net::http_request model_request() const override {
        return {
            .method = net::http_method::get,
            .url = fmt::format("{}/v1beta/models/{}", settings_.url, settings_.model),
            .headers = {{.name = "x-goog-api-key", .value = settings_.key}}};
    }

    [[nodiscard]] std::optional<call_failure> model_fault(
        const net::http_response& response) const override {
        if (response.status() == 200) return std::nullopt;
        return gemini_failure(response);
    }

    void sweep(const run_check& is_living, const deadline& by, const std::stop_token& stop)
        const override {
        files_.sweep(is_living, by, stop);
    }

private:
    gemini_settings settings_;
    gemini_files files_;
};

/// Delay for a per-minute quota when the response names none.
constexpr seconds_f minute_quota_delay{60.0};

/// The texts of an error object, concatenated by kind.
struct gemini_error {
    int code = 0;
    std::string status;
    std::string message;
    std::string descriptions;  ///< Descriptions of rejected fields.
    std::string reasons;
    std::string quotas;
    std::optional<seconds_f> delay;

    [[nodiscard]] bool says(std::initializer_list<std::string_view> any) const {
        return std::ranges::any_of(any, [this](std::string_view text) {
            return contains(message, text) || contains(descriptions, text) ||
                   contains(reasons, text);
        });
    }
};

void add_detail(gemini_error& fault, const json& detail) {
    const auto type = text_in(detail, "@type");
    if (type.ends_with("ErrorInfo")) fault.reasons += text_in(detail, "reason") + ' ';
    if (type.ends_with("RetryInfo")) fault.delay = duration_from(text_in(detail, "retryDelay"));
    for (const auto& violation : list_in(detail, "fieldViolations")) {
        fault.descriptions += text_in(violation, "description") + ' ';
    }
    for (const auto& violation : list_in(detail, "violations")) {
        fault.quotas += text_in(violation, "quotaId") + ' ';
    }
}

gemini_error read_error(const json& object) {
    gemini_error fault;
    const auto& code = member(object, "code");
    if (code.is_number_integer()) fault.code = code.get<int>();
    fault.status = text_in(object, "status");
    fault.message = text_in(object, "message");
    for (const auto& detail : list_in(object, "details")) add_detail(fault, detail);
    if (!fault.delay) fault.delay = delay_in_message(fault.message);
    return fault;
}

/// The error object of a body, which may be in a list.
gemini_error read_body(std::string_view body) {
    const auto document = parse_foreign_json(body);
    const auto& whole = document.is_array() && !document.empty() ? document.front() : document;
    if (whole.is_object() && whole.contains("error")) return read_error(whole["error"]);
    gemini_error fault;
    fault.message = excerpt(body);
    return fault;
}

failure_kind gemini_bad_request(const gemini_error& fault) {
    if (fault.status == "FAILED_PRECONDITION" || fault.says({"FAILED_PRECONDITION"})) {
        return fault.says({"ACTIVE state"}) ? failure_kind::file_not_ready
                                            : failure_kind::misconfigured;
    }
    if (fault.says({"API_KEY", "API key"})) return failure_kind::misconfigured;
    if (fault.says({"payload size exceeds", "size exceeds the limit"}))
        return failure_kind::payload_too_large;
    if (fault.says(
            {"too many states",
             "response_schema",
             "responseSchema",
             "response_json_schema",
             "responseJsonSchema"}))
        return failure_kind::schema_refused;
    if (fault.says({"Unknown name \"store\""})) return failure_kind::store_refused;
    if (fault.says({"Unknown name", "thinking", "Thinking"})) return failure_kind::thinking_refused;
    return failure_kind::video_rejected;
}

/// Whether a 403 concerns a file or the key.
failure_kind kind_of_forbidden(const gemini_error& fault, gemini_target target) {
    const bool is_file = target == gemini_target::file || fault.says({"the File", "files/"});
    const bool is_key = fault.says({"API key", "API_KEY", "SERVICE_DISABLED", "leaked"});
    return is_file && !is_key ? failure_kind::file_gone : failure_kind::misconfigured;
}

failure_kind kind_of_missing(const gemini_error& fault, gemini_target target) {
    if (target == gemini_target::file) return failure_kind::file_gone;
    if (fault.says({"models/"})) return failure_kind::misconfigured;
    return fault.says({"files/", "the File", "File "}) ? failure_kind::file_gone
                                                       : failure_kind::misconfigured;
}

failure_kind kind_of_exhausted(const gemini_error& fault) {
    // Not available to this project on any day.
    if (fault.says({"limit: 0"})) return failure_kind::misconfigured;
    const bool is_daily = contains(fault.quotas, "PerDay") || contains(fault.quotas, "Daily") ||
                          fault.says({"PerDay", "per day"});
    return is_daily ? failure_kind::quota_exhausted : failure_kind::rate_limited;
}

failure_kind kind_of(int status, const gemini_error& fault, gemini_target target) {
    switch (status) {
        case 400: return gemini_bad_request(fault);
        case 403: return kind_of_forbidden(fault, target);
        case 404: return kind_of_missing(fault, target);
        case 429: return kind_of_exhausted(fault);
        case 499: return failure_kind::transient;
        default: return kind_of_status(status);
    }
}

call_failure failure_of(
    int status, const gemini_error& fault, gemini_target target,
    std::chrono::system_clock::time_point now) {
    call_failure why{
        .kind = kind_of(status, fault, target), .may_be_billed = is_gateway_failure(status)};
    why.detail = "HTTP " + std::to_string(status) + ' ' + excerpt(fault.status) + ": " +
                 excerpt(fault.message + ' ' + fault.descriptions + fault.reasons + fault.quotas);
    if (why.kind == failure_kind::quota_exhausted) {
        // Such an error also names a short delay, which is wrong.
        why.server_delay = until_next_quota_day(now);
    } else if (status == 429 || status >= 500) {
        why.server_delay = fault.delay;
    }
    return why;
}

modality modality_from(std::string_view name) {
    for (const auto kind :
         {modality::text, modality::image, modality::video, modality::audio, modality::document}) {
        if (ascii_lower(name) == name_of(kind)) return kind;
    }
    return modality::other;
}

modality_tokens& part_of(std::vector<modality_tokens>& parts, modality kind) {
    const auto part = std::ranges::find(parts, kind, &modality_tokens::kind);
    if (part != parts.end()) return *part;
    return parts.emplace_back(modality_tokens{.kind = kind});
}

using token_member = std::int64_t modality_tokens::*;

void add_details(std::vector<modality_tokens>& parts, const json& details, token_member counted) {
    for (const auto& detail : details) {
        part_of(parts, modality_from(text_in(detail, "modality"))).*counted +=
            count_in(detail, "tokenCount");
    }
}

/// Every prompt has tokens, so without a count of them the cost is unknown.
std::optional<token_counts> gemini_usage(const json& document) {
    const auto& usage = member(document, "usageMetadata");
    token_counts used;
    used.prompt = count_in(usage, "promptTokenCount") + count_in(usage, "toolUsePromptTokenCount");
    if (used.prompt == 0) return std::nullopt;
    used.cached_prompt = std::min(count_in(usage, "cachedContentTokenCount"), used.prompt);
    used.thinking = count_in(usage, "thoughtsTokenCount");
    used.output = count_in(usage, "candidatesTokenCount") + used.thinking;
    auto& parts = used.by_modality;
    add_details(parts, list_in(usage, "promptTokensDetails"), &modality_tokens::prompt);
    add_details(parts, list_in(usage, "cacheTokensDetails"), &modality_tokens::cached_prompt);
    add_details(parts, list_in(usage, "candidatesTokensDetails"), &modality_tokens::output);
    return used;
}

std::string answer_text(const json& candidate) {
    std::string text;
    for (const auto& part : list_in(member(candidate, "content"), "parts")) {
        if (member(part, "thought") != true) text += text_in(part, "text");
    }
    return text;
}

reply_end gemini_end(std::string_view reason, bool has_text) {
    if (reason == "STOP") return has_text ? reply_end::complete : reply_end::unspecified;
    if (reason == "MAX_TOKENS" || reason == "CONTINUATION") return reply_end::truncated;
    if (reason == "RECITATION") return reply_end::recited;
    constexpr std::array<std::string_view, 5> refusals{
        "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"};
    const bool is_refused = std::ranges::find(refusals, reason) != refusals.end();
    return is_refused ? reply_end::refused : reply_end::unspecified;
}

void read_candidate(reply& reply, const json& candidate) {
    const auto reason = text_in(candidate, "finishReason");
    reply.text = answer_text(candidate);
    const bool has_text = !trimmed(reply.text).empty();
    reply.end = gemini_end(reason, has_text);
    reply.detail = excerpt(reason + ' ' + text_in(candidate, "finishMessage"));
}

void read_refusal(reply& reply, const json& document) {
    const auto reason = text_in(member(document, "promptFeedback"), "blockReason");
    const bool is_block = !reason.empty() && !reason.ends_with("REASON_UNSPECIFIED");
    reply.end = is_block ? reply_end::refused : reply_end::unspecified;
    reply.detail = is_block ? "prompt blocked: " + excerpt(reason) : "no candidates";
}

/// Appends a notice of the model's retirement.
void add_stage(reply& reply, const json& document) {
    const auto stage = text_in(member(document, "modelStatus"), "modelStage");
    if (stage != "LEGACY" && stage != "DEPRECATED" && stage != "RETIRED") return;
    reply.detail += " (the model is " + stage + ": " +
                    excerpt(text_in(member(document, "modelStatus"), "retirementTime")) + ')';
}

}  // namespace

json gemini_schema(const json& schema) {
    if (schema.is_array()) {
        auto list = json::array();
        for (const auto& item : schema) list.push_back(gemini_schema(item));
        return list;
    }
    if (!schema.is_object()) return schema;
    json object;
    for (const auto& [name, value] : schema.items()) {
        if (name == "additionalProperties") continue;
        if (name == "enum") {
            if (auto choices = gemini_enum(value); !choices.empty())
                object[name] = std::move(choices);
            continue;
        }
        if (name != "properties") {
            object[name] = gemini_schema(value);
            continue;
        }
        auto order = json::array();
        for (const auto& [property, property_schema] : value.items()) {
            object[name][property] = gemini_schema(property_schema);
            order.push_back(property);
        }
        object["propertyOrdering"] = std::move(order);
    }
    return object;
}

gemini_body gemini_body_for(
    const gemini_settings& settings, const request_options& options, const prompt& prompt,
    const std::optional<gemini_video>& video) {
    const json system{{"parts", {{{"text", prompt.instructions}}}}};
    const json task{{"text", task_text(prompt, options, options.format != answer_format::schema)}};
    auto rest = fmt::format(
        R"({}]}}],"generationConfig":{})",
        task.dump(),
        generation_config(settings, options, prompt, video.has_value()).dump());
    if (settings.safety_threshold != "none")
        rest += R"(,"safetySettings":)" + safety_settings(settings).dump();
    if (!options.without_store) rest += R"(,"store":false)";
    rest += '}';

    gemini_body body;
    body.before = fmt::format(
        R"({{"systemInstruction":{},"contents":[{{"role":"user","parts":[)", system.dump());
    if (!video) {
        body.before += rest;
        return body;
    }
    body.before += fmt::format(
        R"({{"{}":{{"mimeType":"{}",{})",
        options.as_file ? "fileData" : "inlineData",
        video->mime_type,
        options.as_file ? R"("fileUri":)" : R"("data":")");
    const json metadata{{"fps", frame_rate_for(settings, video->duration_seconds)}};
    body.after = fmt::format(
        R"({}}},"videoMetadata":{}}},{})", options.as_file ? "" : "\"", metadata.dump(), rest);
    return body;
}

std::unique_ptr<chat_api> make_gemini_api(
    gemini_settings settings, const net::http_client& http, const log::logger& log) {
    return std::make_unique<gemini_api>(std::move(settings), http, log);
}

call_failure gemini_failure(
    const net::http_response& response, gemini_target target,
    std::chrono::system_clock::time_point now) {
    const auto status = response.status();
    const auto fault = read_body(response.body);
    auto why = failure_of(status, fault, target, now);
    const bool may_wait = status == 429 || status >= 500;
    if (may_wait && !why.server_delay)
        why.server_delay = delay_in_headers(response.head.headers, now);
    if (why.kind == failure_kind::rate_limited && !why.server_delay &&
        contains(fault.quotas, "PerMinute"))
        why.server_delay = minute_quota_delay;
    return why;
}

call_failure gemini_failure(
    const json& object, gemini_target target, std::chrono::system_clock::time_point now) {
    const auto fault = read_error(object);
    const bool is_status = fault.code >= 400 && fault.code < 600;
    return failure_of(is_status ? fault.code : 500, fault, target, now);
}

model_reply gemini_reply(std::string_view body, std::chrono::system_clock::time_point now) {
    const auto document = parse_foreign_json(body);
    if (!document.is_object()) {
        return call_failure{
            .kind = failure_kind::transient,
            .detail = "an answer that is not a JSON object: " + excerpt(body),
            .may_be_billed = true};
    }
    // A response with candidates is a reply, and billed, even if it also has an error.
    const auto& error_object = member(document, "error");
    if (error_object.is_object() && !member(document, "candidates").is_array())
        return gemini_failure(error_object, gemini_target::generate, now);

    reply reply;
    reply.used = gemini_usage(document);
    reply.response_id = excerpt(text_in(document, "responseId"));
    const auto& candidates = list_in(document, "candidates");
    if (!candidates.empty()) {
        read_candidate(reply, candidates.front());
    } else {
        read_refusal(reply, document);
    }
    add_stage(reply, document);
    return reply;
}

}  // namespace reelsd::model
