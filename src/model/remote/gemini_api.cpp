#include "gemini_api.hpp"

#include "../answer.hpp"
#include "gemini_reply.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/media/media_client.hpp>

#include <boost/algorithm/string/case_conv.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
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
    gemini_session(const gemini_session&) = delete;
    gemini_session& operator=(const gemini_session&) = delete;
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
        const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
        const auto seconds = std::clamp(left, std::chrono::seconds{1}, settings_.answer_time_max);
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
    const json task{{"text", task_text(prompt, options, options.format)}};
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

std::unique_ptr<chat_session> gemini_api::open(
    const video_input* video, const prompt& prompt) const {
    return std::make_unique<gemini_session>(settings_, files_, video, prompt);
}

net::http_request gemini_api::model_request() const {
    return {
        .method = net::http_method::get,
        .url = fmt::format("{}/v1beta/models/{}", settings_.url, settings_.model),
        .headers = {{.name = "x-goog-api-key", .value = settings_.key}}};
}

std::optional<call_failure> gemini_api::model_fault(const net::http_response& response) const {
    if (response.status() == 200) return std::nullopt;
    return gemini_failure(response);
}

}  // namespace reelsd::model
