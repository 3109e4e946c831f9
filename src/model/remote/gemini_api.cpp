#include "gemini_api.hpp"

#include "../answer.hpp"
#include "gemini_errors.hpp"
#include "gemini_reply.hpp"
#include "video_file_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

namespace reelsd::model {
namespace {

using ordered = nlohmann::ordered_json;
using wall_clock = std::chrono::system_clock;

/// Words that come one by one change twice a second; in longer videos they cost too much.
constexpr double short_video_seconds = 45;
constexpr int thinking_tokens_usual = 1024;
/// Every model of that family takes so few.
constexpr int thinking_tokens_least = 128;

bool has_budgets(std::string_view model) {
    return model.starts_with("gemini-2.");
}

/// Models whose least level is MINIMAL; others refuse it.
bool has_minimal(std::string_view model) {
    return model.starts_with("gemini-3.6-flash") || model.starts_with("gemini-3.5-flash");
}

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string upper(std::string_view text) {
    std::string made{text};
    std::transform(made.begin(), made.end(), made.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return made;
}

/// Null when nothing is said of thinking.
ordered thinking_config(const gemini_settings& settings, const question& asked) {
    if (asked.without_thinking || settings.thinking == "none") return nullptr;
    if (const auto tokens = number_in(settings.thinking)) return {{"thinkingBudget", *tokens}};
    if (settings.thinking != "auto" && !asked.least_thinking)
        return {{"thinkingLevel", upper(settings.thinking)}};
    if (has_budgets(settings.model)) {
        return {
            {"thinkingBudget",
             asked.least_thinking ? thinking_tokens_least : thinking_tokens_usual}};
    }
    const bool is_minimal = asked.least_thinking && has_minimal(settings.model);
    return {{"thinkingLevel", is_minimal ? "MINIMAL" : "LOW"}};
}

ordered generation_config(const gemini_settings& settings, const question& asked) {
    ordered config;
    if (asked.format != answer_format::text) config["responseMimeType"] = "application/json";
    if (asked.format == answer_format::schema)
        config["responseJsonSchema"] = gemini_schema(answer_schema());
    if (settings.media_resolution != "none")
        config["mediaResolution"] = "MEDIA_RESOLUTION_" + upper(settings.media_resolution);
    config["maxOutputTokens"] = settings.output_tokens_max * (asked.larger_cap ? 2 : 1);
    if (const auto thinking = thinking_config(settings, asked); !thinking.is_null())
        config["thinkingConfig"] = thinking;
    return config;
}

ordered safety_settings(const gemini_settings& settings) {
    constexpr std::array<const char*, 4> categories{
        "HARM_CATEGORY_HARASSMENT",
        "HARM_CATEGORY_HATE_SPEECH",
        "HARM_CATEGORY_SEXUALLY_EXPLICIT",
        "HARM_CATEGORY_DANGEROUS_CONTENT"};
    auto made = ordered::array();
    for (const auto* const category : categories)
        made.push_back({{"category", category}, {"threshold", settings.safety_threshold}});
    return made;
}

double frame_rate_for(const gemini_settings& settings, double duration_seconds) {
    if (settings.frame_rate > 0) return settings.frame_rate;
    return duration_seconds <= short_video_seconds ? 2.0 : 1.0;
}

std::string task_text(const question& asked, const prompt& with) {
    auto text = with.task;
    if (asked.format != answer_format::schema) text += "\n\n" + schema_note();
    if (!asked.note.empty()) text += "\n\n" + asked.note;
    return text;
}

class gemini_session final : public chat_session {
public:
    gemini_session(
        const gemini_settings& settings, const gemini_files& files, const video_input& video,
        const prompt& asked)
        : settings_{settings}, files_{files}, video_{video}, prompt_{asked} {}
    gemini_session(const gemini_session&) = delete;
    gemini_session& operator=(const gemini_session&) = delete;
    ~gemini_session() override {
        if (uploaded_) files_.remove(*uploaded_);
    }

    prepared_request request_for(
        const question& asked, const deadline& by, const std::stop_token& stop) override {
        std::error_code failure;
        const auto bytes = std::filesystem::file_size(video_.file, failure);
        if (failure)
            return call_failure{.kind = failure_kind::storage, .detail = failure.message()};
        const bool is_small = bytes <= static_cast<std::uint64_t>(settings_.inline_bytes_max);
        const bool is_file = asked.as_file || !is_small;
        if (is_file && !uploaded_) {
            auto made = files_.upload(video_.file, video_mime_type(video_.file), by, stop);
            if (!made) return made.error();
            uploaded_ = *std::move(made);
        }
        return request_with(asked, is_file, bytes, by);
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& answer) const override {
        if (answer.status() == 200) return gemini_reply(answer.body, wall_clock::now());
        return gemini_failure(
            answer.status(),
            answer.head.headers,
            answer.body,
            gemini_target::generate,
            wall_clock::now());
    }

    /// Removed all the same: what cannot be used may still be kept.
    void forget_upload() override {
        if (uploaded_) files_.remove(*uploaded_);
        uploaded_.reset();
    }

private:
    [[nodiscard]] net::http_request request_with(
        const question& asked, bool is_file, std::uint64_t bytes, const deadline& by) const {
        auto as_sent = asked;
        as_sent.as_file = is_file;
        auto body = gemini_body_for(
            settings_,
            as_sent,
            prompt_,
            video_.probe.duration_seconds,
            video_mime_type(video_.file));
        net::http_request made{
            .method = net::http_method::post,
            .url =
                fmt::format("{}/v1beta/models/{}:generateContent", settings_.url, settings_.model)};
        const auto left = std::chrono::ceil<std::chrono::seconds>(by.remaining());
        const auto seconds = std::clamp(left, std::chrono::seconds{1}, settings_.answer_time_max);
        made.headers = {
            {.name = "x-goog-api-key", .value = settings_.key},
            {.name = "Content-Type", .value = "application/json"},
            {.name = "X-Server-Timeout", .value = std::to_string(seconds.count())}};
        made.fresh_connection = true;
        auto& sent = made.streamed_body.emplace();
        sent.add_text(std::move(body.before));
        if (is_file) {
            sent.add_text(ordered(uploaded_->uri).dump());
        } else {
            sent.add_base64({.file = video_.file, .offset = 0, .bytes = bytes});
        }
        sent.add_text(std::move(body.after));
        return made;
    }

    const gemini_settings& settings_;
    const gemini_files& files_;
    const video_input& video_;
    const prompt& prompt_;
    std::optional<uploaded_file> uploaded_;
};

}  // namespace

ordered gemini_schema(const ordered& schema) {
    if (schema.is_array()) {
        auto made = ordered::array();
        for (const auto& item : schema) made.push_back(gemini_schema(item));
        return made;
    }
    if (!schema.is_object()) return schema;
    ordered made;
    for (const auto& [name, value] : schema.items()) {
        if (name == "additionalProperties") continue;
        if (name != "properties") {
            made[name] = gemini_schema(value);
            continue;
        }
        auto order = ordered::array();
        for (const auto& [property, its_schema] : value.items()) {
            made[name][property] = gemini_schema(its_schema);
            order.push_back(property);
        }
        made["propertyOrdering"] = std::move(order);
    }
    return made;
}

gemini_body gemini_body_for(
    const gemini_settings& settings, const question& asked, const prompt& with,
    double duration_seconds, std::string_view mime_type) {
    const ordered system{{"parts", {{{"text", with.instructions}}}}};
    const ordered task{{"text", task_text(asked, with)}};
    const ordered metadata{{"fps", frame_rate_for(settings, duration_seconds)}};
    gemini_body made;
    made.before = fmt::format(
        R"({{"systemInstruction":{},"contents":[{{"role":"user",)"
        R"("parts":[{{"{}":{{"mimeType":"{}",)",
        system.dump(),
        asked.as_file ? "fileData" : "inlineData",
        mime_type);
    made.before += asked.as_file ? R"("fileUri":)" : R"("data":")";
    made.after = fmt::format(
        R"({}}},"videoMetadata":{}}},{}]}}],"generationConfig":{})",
        asked.as_file ? "" : "\"",
        metadata.dump(),
        task.dump(),
        generation_config(settings, asked).dump());
    if (settings.safety_threshold != "none")
        made.after += R"(,"safetySettings":)" + safety_settings(settings).dump();
    if (!asked.without_store) made.after += R"(,"store":false)";
    made.after += '}';
    return made;
}

std::string gemini_api::media_note(const video_input& /*video*/) const {
    return {};
}

std::unique_ptr<chat_session> gemini_api::open(
    const video_input& video, const prompt& asked) const {
    return std::make_unique<gemini_session>(settings_, files_, video, asked);
}

net::http_request gemini_api::model_request() const {
    net::http_request made{
        .method = net::http_method::get,
        .url = fmt::format("{}/v1beta/models/{}", settings_.url, settings_.model)};
    made.headers = {{.name = "x-goog-api-key", .value = settings_.key}};
    return made;
}

std::optional<call_failure> gemini_api::model_fault(const net::http_response& answer) const {
    if (answer.status() == 200) return std::nullopt;
    return gemini_failure(
        answer.status(),
        answer.head.headers,
        answer.body,
        gemini_target::generate,
        wall_clock::now());
}

}  // namespace reelsd::model
