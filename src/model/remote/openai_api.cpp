#include "openai_api.hpp"

#include "../answer.hpp"
#include "openai_errors.hpp"
#include "openai_media.hpp"
#include "openai_reply.hpp"
#include "video_file_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

using ordered = nlohmann::ordered_json;
using wall_clock = std::chrono::system_clock;

/// What the operator's server can do, and what has not been refused yet.
answer_format format_of(const openai_settings& settings, const question& asked) {
    if (settings.response_format == "none") return answer_format::text;
    if (settings.response_format == "json_object" && asked.format == answer_format::schema)
        return answer_format::json;
    return asked.format;
}

std::string limit_name(const openai_settings& settings, const question& asked) {
    if (!asked.other_limit_name) return settings.token_limit_name;
    return settings.token_limit_name == "max_tokens" ? "max_completion_tokens" : "max_tokens";
}

class openai_session final : public chat_session {
public:
    openai_session(
        const openai_settings& settings, const media::media_client& media, const video_input& video,
        const prompt& asked)
        : settings_{settings}, media_{media}, video_{video}, prompt_{asked} {}

    prepared_request request_for(
        const question& asked, const deadline& by, const std::stop_token& stop) override {
        if (!sent_) {
            auto made = media_for(settings_.mode, video_, media_, by, stop);
            if (!made) return made.error();
            sent_ = *std::move(made);
        }
        net::http_request request{
            .method = net::http_method::post, .url = settings_.url + "/v1/chat/completions"};
        request.headers = {{.name = "Content-Type", .value = "application/json"}};
        if (!settings_.key.empty())
            request.headers.push_back(
                {.name = "Authorization", .value = "Bearer " + settings_.key});
        request.fresh_connection = true;
        auto& body = request.streamed_body.emplace();
        body.add_text(fmt::format(
            R"({{"model":{},"messages":[{},{{"role":"user","content":)",
            ordered(settings_.model).dump(),
            ordered{{"role", "system"}, {"content", prompt_.instructions}}.dump()));
        add_message_parts(body, *sent_, settings_, video_mime_type(video_.file), task_text(asked));
        body.add_text("}]" + openai_options(settings_, asked) + "}");
        return request;
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& answer) const override {
        if (answer.status() == 200) return openai_reply(answer, wall_clock::now());
        return openai_failure(answer.status(), answer.head.headers, answer.body, wall_clock::now());
    }

private:
    [[nodiscard]] std::string task_text(const question& asked) const {
        auto text = prompt_.task;
        if (format_of(settings_, asked) != answer_format::schema) text += "\n\n" + schema_note();
        if (!asked.note.empty()) text += "\n\n" + asked.note;
        return text;
    }

    const openai_settings& settings_;
    const media::media_client& media_;
    const video_input& video_;
    const prompt& prompt_;
    std::optional<sent_media> sent_;
};

}  // namespace

std::string openai_options(const openai_settings& settings, const question& asked) {
    ordered options;
    options[limit_name(settings, asked)] = settings.output_tokens_max * (asked.larger_cap ? 2 : 1);
    switch (format_of(settings, asked)) {
        case answer_format::schema:
            options["response_format"] = {
                {"type", "json_schema"},
                {"json_schema",
                 {{"name", "reel_analysis"}, {"strict", true}, {"schema", answer_schema()}}}};
            break;
        case answer_format::json: options["response_format"] = {{"type", "json_object"}}; break;
        case answer_format::text: break;
    }
    const auto text = options.dump();
    return ',' + text.substr(1, text.size() - 2);
}

std::string openai_api::media_note(const video_input& video) const {
    const bool has_sound = video.probe.audio_codec.has_value();
    switch (settings_.mode) {
        case openai_mode::video: return {};
        case openai_mode::video_audio:
            return has_sound ? "Its sound is given once more as a sound of its own." : "";
        case openai_mode::frames_audio:
            return has_sound ? "It is given as pictures with their times, and its whole sound."
                             : "It is given as pictures with their times; it has no sound.";
        case openai_mode::frames:
            return "It is given as pictures with their times, without its sound: leave everything "
                   "about sound empty.";
    }
    return {};
}

std::unique_ptr<chat_session> openai_api::open(
    const video_input& video, const prompt& asked) const {
    return std::make_unique<openai_session>(settings_, media_, video, asked);
}

net::http_request openai_api::model_request() const {
    net::http_request made{.method = net::http_method::get, .url = settings_.url + "/v1/models"};
    if (!settings_.key.empty())
        made.headers = {{.name = "Authorization", .value = "Bearer " + settings_.key}};
    return made;
}

std::optional<call_failure> openai_api::model_fault(const net::http_response& answer) const {
    if (answer.status() != 200) {
        return openai_failure(answer.status(), answer.head.headers, answer.body, wall_clock::now());
    }
    const auto document = ordered::parse(answer.body, nullptr, false);
    const auto listed = document.is_object() ? document.find("data") : document.end();
    // A list in another shape says nothing against the model.
    if (!document.is_object() || listed == document.end() || !listed->is_array())
        return std::nullopt;
    const bool has_it = std::any_of(listed->begin(), listed->end(), [this](const ordered& one) {
        return one.is_object() && one.value("id", ordered()) == ordered(settings_.model);
    });
    if (has_it) return std::nullopt;
    return call_failure{
        .kind = failure_kind::misconfigured, .detail = "the server does not list this model"};
}

}  // namespace reelsd::model
