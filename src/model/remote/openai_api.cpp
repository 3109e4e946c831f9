#include "openai_api.hpp"

#include "../answer.hpp"
#include "../json_members.hpp"
#include "openai_reply.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace reelsd::model {
namespace {

call_failure media_failure(const error& why) {
    // A fault of the media child or the video, not of the provider.
    if (why.code() == errc::unsupported_format)
        return {.kind = failure_kind::video_rejected, .detail = why.detail()};
    if (why.code() == errc::cancelled) return {.kind = failure_kind::cancelled};
    return {.kind = failure_kind::storage, .detail = why.to_string()};
}

/// Writes a list of parts.
class part_list {
public:
    explicit part_list(net::request_body& body) : body_{body} { body_.add_text("["); }

    void add_text(std::string_view text) {
        next();
        body_.add_text(json{{"type", "text"}, {"text", text}}.dump());
    }
    void add_media(std::string before, const net::file_range& file, std::string after) {
        next();
        body_.add_text(std::move(before));
        body_.add_base64(file);
        body_.add_text(std::move(after));
    }
    void end() { body_.add_text("]"); }

private:
    void next() {
        if (!is_first_) body_.add_text(",");
        is_first_ = false;
    }

    net::request_body& body_;
    bool is_first_ = true;
};

void add_video(
    part_list& parts, const net::file_range& video, const openai_settings& settings,
    std::string_view mime_type) {
    const auto& type = settings.video_part;
    const auto data = fmt::format("data:{};base64,", mime_type);
    if (type == "file") {
        parts.add_media(
            fmt::format(R"({{"type":"file","file":{{"file_data":"{})", data),
            video,
            fmt::format(R"(","format":"{}"}}}})", mime_type));
        return;
    }
    parts.add_media(
        fmt::format(R"({{"type":"{0}","{0}":{{"url":"{1})", type, data), video, R"("}})");
}

/// Extracts the media of a mode from the video, into the job's scratch folder. Blocks.
boost::system::result<sent_media, call_failure> media_for(
    openai_mode mode, const video_input& video, const media::media_client& media,
    const deadline& by, const std::stop_token& stop) {
    sent_media sent;
    const bool sends_frames = mode == openai_mode::frames || mode == openai_mode::frames_audio;
    const bool sends_sound = mode == openai_mode::video_audio || mode == openai_mode::frames_audio;
    if (sends_frames) {
        const auto file = video.scratch / "frames";
        const auto report =
            media.frames(video.file, file, {}, by.at_most(bounds::local_analysis_time_max), stop);
        if (!report) return media_failure(report.error());
        for (const auto& frame : report->frames)
            sent.frames.push_back(
                {.seconds = frame.seconds,
                 .jpeg = {.file = file, .offset = frame.offset, .bytes = frame.bytes}});
    } else {
        const auto whole = whole_file(video.file);
        if (!whole) return whole.error();
        sent.video = *whole;
    }
    if (sends_sound) {
        const auto file = video.scratch / "sound";
        const auto report = media.sound(video.file, file, by.at_most(bounds::probe_time_max), stop);
        if (!report) return media_failure(report.error());
        if (*report)
            sent.sound = net::file_range{.file = file, .offset = 0, .bytes = (*report)->bytes};
    }
    return sent;
}

/// The format that the operator's server supports and has not refused.
answer_format format_of(const openai_settings& settings, const request_options& options) {
    if (settings.response_format == "none") return answer_format::text;
    if (settings.response_format == "json_object" && options.format == answer_format::schema)
        return answer_format::json;
    return options.format;
}

std::string limit_name(const openai_settings& settings, const request_options& options) {
    if (!options.other_limit_name) return settings.token_limit_name;
    return settings.token_limit_name == "max_tokens" ? "max_completion_tokens" : "max_tokens";
}

class openai_session final : public chat_session {
public:
    openai_session(
        const openai_settings& settings, const media::media_client& media, const video_input* video,
        const prompt& prompt)
        : settings_{settings}, media_{media}, video_{video}, prompt_{prompt} {}

    prepared_request request_for(
        const request_options& options, const deadline& by, const std::stop_token& stop) override {
        if (video_ != nullptr && !sent_) {
            auto media = media_for(settings_.mode, *video_, media_, by, stop);
            if (!media) return media.error();
            sent_ = *std::move(media);
        }
        auto request = openai_request(
            net::http_method::post, settings_.url + "/v1/chat/completions", settings_.key);
        request.fresh_connection = true;
        auto& body = request.streamed_body.emplace();
        body.add_text(fmt::format(
            R"({{"model":{},"messages":[{},{{"role":"user","content":)",
            json(settings_.model).dump(),
            json{{"role", "system"}, {"content", prompt_.instructions}}.dump()));
        const auto task = task_text(prompt_, options, format_of(settings_, options));
        add_message_parts(
            body,
            sent_.value_or(sent_media{}),
            settings_,
            video_ == nullptr ? std::string_view{} : media::video_mime_type(video_->file),
            task);
        body.add_text("}]" + openai_options(settings_, options, prompt_) + "}");
        return request;
    }

    [[nodiscard]] model_reply reply_of(const net::http_response& response) const override {
        return response.status() == 200 ? openai_reply(response) : openai_failure(response);
    }

private:
    const openai_settings& settings_;
    const media::media_client& media_;
    const video_input* video_;  ///< Null: text alone.
    const prompt& prompt_;
    std::optional<sent_media> sent_;
};

}  // namespace

net::http_request openai_request(net::http_method method, std::string url, const std::string& key) {
    net::http_request request{.method = method, .url = std::move(url)};
    if (method == net::http_method::post)
        request.headers.push_back({.name = "Content-Type", .value = "application/json"});
    if (!key.empty())
        request.headers.push_back({.name = "Authorization", .value = "Bearer " + key});
    return request;
}

std::string openai_options(
    const openai_settings& settings, const request_options& options, const prompt& prompt) {
    json members;
    members[limit_name(settings, options)] =
        settings.output_tokens_max * (options.larger_cap ? 2 : 1);
    switch (format_of(settings, options)) {
        case answer_format::schema:
            members["response_format"] = {
                {"type", "json_schema"},
                {"json_schema",
                 {{"name", prompt.schema_name}, {"strict", true}, {"schema", prompt.schema}}}};
            break;
        case answer_format::json: members["response_format"] = {{"type", "json_object"}}; break;
        case answer_format::text: break;
    }
    const auto text = members.dump();
    return ',' + text.substr(1, text.size() - 2);
}

std::string openai_api::media_note(const video_input& video) const {
    const bool has_sound = video.probe.audio_codec.has_value();
    switch (settings_.mode) {
        case openai_mode::video: return {};
        case openai_mode::video_audio:
            return has_sound ? "Its audio track is also attached separately." : "";
        case openai_mode::frames_audio:
            return has_sound
                       ? "It is given as frames with timestamps, and its complete audio track."
                       : "It is given as frames with timestamps; it has no sound.";
        case openai_mode::frames:
            return "It is given as frames with timestamps, without its sound: leave all values "
                   "about audio empty. Its transcript, if there is speech, is given below as "
                   "material.";
    }
    return {};
}

std::unique_ptr<chat_session> openai_api::open(
    const video_input* video, const prompt& prompt) const {
    return std::make_unique<openai_session>(settings_, media_, video, prompt);
}

net::http_request openai_api::model_request() const {
    return openai_request(net::http_method::get, settings_.url + "/v1/models", settings_.key);
}

std::optional<call_failure> openai_api::model_fault(const net::http_response& response) const {
    return listed_model_fault(response, settings_.model);
}

std::optional<call_failure> listed_model_fault(
    const net::http_response& response, std::string_view model) {
    if (response.status() != 200) return openai_failure(response);
    const auto document = parse_foreign_json(response.body);
    const auto& listed = member(document, "data");
    // A list in another format proves nothing.
    if (!listed.is_array()) return std::nullopt;
    const bool is_listed = std::any_of(listed.begin(), listed.end(), [model](const json& entry) {
        return member(entry, "id") == model;
    });
    if (is_listed) return std::nullopt;
    return call_failure{
        .kind = failure_kind::misconfigured, .detail = "the server does not list this model"};
}

void add_message_parts(
    net::request_body& body, const sent_media& media, const openai_settings& settings,
    std::string_view mime_type, std::string_view task) {
    part_list parts{body};
    if (media.video) add_video(parts, *media.video, settings, mime_type);
    for (const auto& frame : media.frames) {
        parts.add_text("t=" + timestamp_of(frame.seconds));
        parts.add_media(
            R"({"type":"image_url","image_url":{"url":"data:image/jpeg;base64,)",
            frame.jpeg,
            R"("}})");
    }
    if (media.sound)
        parts.add_media(
            R"({"type":"input_audio","input_audio":{"data":")",
            *media.sound,
            R"(","format":"wav"}})");
    parts.add_text(task);
    parts.end();
}

}  // namespace reelsd::model
