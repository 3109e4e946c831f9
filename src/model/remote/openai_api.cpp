#include "openai_api.hpp"

#include "../answer.hpp"
#include "../json_members.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace reelsd::model {
namespace {

call_failure media_failure(const error& why) {
    switch (why.code()) {
        case errc::unsupported_format:
            return {.kind = failure_kind::video_rejected, .detail = why.detail()};
        case errc::cancelled: return {.kind = failure_kind::cancelled};
        case errc::storage_failed:
            return {.kind = failure_kind::storage, .detail = why.to_string()};
        default: return {.kind = failure_kind::media_child, .detail = why.to_string()};
    }
}

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

/// Whether the server adds the schema that it enforces to the prompt. llama.cpp and Ollama only
/// restrict the tokens of the answer to it, so its descriptions would be lost.
bool shows_schema(const openai_settings& settings) {
    const auto url = net::url::parse(settings.url);
    return url && url->host().ends_with("api.openai.com");
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
        const bool has_schema =
            shows_schema(settings_) && format_of(settings_, options) == answer_format::schema;
        const auto task = task_text(prompt_, options, !has_schema);
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

class openai_api final : public chat_api {
public:
    openai_api(openai_settings settings, const media::media_client& media)
        : chat_api{{.provider = "openai", .model = settings.model, .secret = settings.key}},
          settings_{std::move(settings)},
          media_{media} {}

    [[nodiscard]] std::string media_note(const video_input& video) const override {
        const auto& probe = video.probe;
        const bool has_sound = probe.audio_codec.has_value() && probe.audio_is_decodable;
        switch (settings_.mode) {
            case openai_mode::video: return {};
            case openai_mode::video_audio:
                return has_sound ? "Its audio track is also attached separately." : "";
            case openai_mode::frames_audio:
                if (!probe.audio_is_decodable)
                    return "It is given as frames with timestamps, without its sound: leave all "
                           "values about audio empty.";
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

    [[nodiscard]] std::unique_ptr<chat_session> open(
        const video_input* video, const prompt& prompt) const override {
        return std::make_unique<openai_session>(settings_, media_, video, prompt);
    }

    [[nodiscard]] net::http_request model_request() const override {
        return openai_request(net::http_method::get, settings_.url + "/v1/models", settings_.key);
    }

    [[nodiscard]] std::optional<call_failure> model_fault(
        const net::http_response& response) const override {
        return listed_model_fault(response, settings_.model);
    }

private:
    openai_settings settings_;
    const media::media_client& media_;
};

/// The texts of an error in any of the servers' formats.
struct openai_error {
    int code = 0;  ///< HTTP status, if the code is one.
    std::string name;
    std::string message;

    /// Ignores case. The texts are in lower case.
    [[nodiscard]] bool says(std::initializer_list<std::string_view> any) const {
        const auto texts = ascii_lower(name) + '\n' + ascii_lower(message);
        return std::ranges::any_of(
            any, [&texts](std::string_view text) { return contains(texts, text); });
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

/// No wait helps the operator's account, whatever delay the response names.
bool is_out_of_credit(const openai_error& fault) {
    return fault.says({"insufficient_quota", "billing_not_active", "billing_hard_limit"});
}

/// OpenAI, vLLM, llama.cpp, LM Studio, LiteLLM and TGI. Not "context_window", which the message of
/// Groq about a token limit above the model's names.
bool is_about_context(const openai_error& fault) {
    return fault.says(
        {"context_length_exceeded",
         "contextwindowexceeded",
         "context length",
         "context limit",
         "context size",
         "context window",
         "maximum model length",
         "fit into the model",
         "prompt is too long",
         "`inputs` tokens +",
         "`inputs` must have less than"});
}

bool is_flagged(const openai_error& fault) {
    return fault.says({"input was flagged", "content_filter", "content_policy_violation"});
}

failure_kind openai_bad_request(const openai_error& fault) {
    if (is_out_of_credit(fault)) return failure_kind::misconfigured;
    // First: these messages may also name the token limit.
    if (is_about_context(fault)) return failure_kind::context_exceeded;
    if (is_flagged(fault)) return failure_kind::input_flagged;
    const bool is_of_limit = fault.says({"max_tokens", "max_completion_tokens"});
    if (is_of_limit && fault.says({"too large", "at most", "maximum", "less than", "valid range"}))
        return failure_kind::limit_too_large;
    if (fault.says({"max_completion_tokens"})) return failure_kind::limit_refused;
    if (fault.says({"response_format", "json_schema", "guided", "grammar"}))
        return failure_kind::schema_refused;
    // Another video may have fewer frames, unless the model accepts none.
    if (fault.says({"may be provided in"}) && !fault.says({"at most 0 "}))
        return failure_kind::request_too_large;
    // Parts that the server does not know: the operator must set another mode.
    if (fault.says(
            {"content[].type",
             "invalid message format",
             "video_url",
             "input_video",
             "input_audio",
             "not a multimodal",
             "does not support",
             "may be provided in"}))
        return failure_kind::misconfigured;
    if (fault.says({"max_tokens", "api key", "api_key"})) return failure_kind::misconfigured;
    return failure_kind::video_rejected;
}

failure_kind kind_of(int status, const openai_error& fault) {
    switch (status) {
        case 400: return openai_bad_request(fault);
        case 403:
            return is_flagged(fault) ? failure_kind::input_flagged : failure_kind::misconfigured;
        case 413: return failure_kind::request_too_large;
        case 429:
            return is_out_of_credit(fault) ? failure_kind::misconfigured
                                           : failure_kind::rate_limited;
        case 409: return failure_kind::transient;
        case 422:
            if (is_about_context(fault)) return failure_kind::context_exceeded;
            return fault.says({"response_format"}) ? failure_kind::schema_refused
                                                   : failure_kind::misconfigured;
        default: return kind_of_status(status);
    }
}

call_failure failure_of(
    int status, const openai_error& fault, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    call_failure why{.kind = kind_of(status, fault), .may_be_billed = is_gateway_failure(status)};
    why.detail = "HTTP " + std::to_string(status) + ' ' + excerpt(fault.name) + ": " +
                 excerpt(fault.message);
    if (status == 429 && why.kind == failure_kind::misconfigured) return why;
    why.server_delay = delay_in_headers(headers, now);
    if (!why.server_delay && why.kind == failure_kind::rate_limited)
        why.server_delay = delay_in_limits(headers);
    if (const auto word = headers.find("x-should-retry")) {
        if (*word == "true") why.should_retry = true;
        if (*word == "false") why.should_retry = false;
    }
    return why;
}

/// Every prompt has tokens, so without a count of them the cost is unknown.
std::optional<token_counts> openai_usage(const json& document) {
    const auto& usage = member(document, "usage");
    const auto& prompt = member(usage, "prompt_tokens_details");
    const auto& output = member(usage, "completion_tokens_details");
    token_counts used;
    used.prompt = count_in(usage, "prompt_tokens");
    if (used.prompt == 0) return std::nullopt;
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

std::unique_ptr<chat_api> make_openai_api(
    openai_settings settings, const media::media_client& media) {
    return std::make_unique<openai_api>(std::move(settings), media);
}

std::optional<call_failure> listed_model_fault(
    const net::http_response& response, std::string_view model) {
    if (response.status() != 200) return openai_failure(response);
    const auto document = parse_foreign_json(response.body);
    const auto& listed = member(document, "data");
    // A list in another format proves nothing; Ollama without a model sends null.
    const bool is_empty = listed.is_null() && document.is_object() && document.contains("data");
    if (!listed.is_array() && !is_empty) return std::nullopt;
    const auto with_tag = std::string{model} + ":latest";  // Ollama adds it.
    const bool is_listed = std::any_of(listed.begin(), listed.end(), [&](const json& entry) {
        const auto& id = member(entry, "id");
        return id == model || id == with_tag;
    });
    if (is_listed) return std::nullopt;
    return call_failure{
        .kind = failure_kind::unlisted,
        .detail = "the server does not list this model, and may refuse it"};
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

call_failure openai_failure(
    const net::http_response& response, std::chrono::system_clock::time_point now) {
    auto fault = read_document(parse_foreign_json(response.body));
    if (fault.message.empty()) fault.message = excerpt(response.body);
    return failure_of(response.status(), fault, response.head.headers, now);
}

std::optional<int> error_status_within(const json& document) {
    const auto& nested = member(document, "error");
    const bool is_flat = text_in(document, "object") == "error";
    if (!nested.is_object() && !nested.is_string() && !is_flat) return std::nullopt;
    const auto code = read_document(document).code;
    return code >= 400 && code < 600 ? code : 500;
}

std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now) {
    const auto status = error_status_within(document);
    if (!status) return std::nullopt;
    return failure_of(*status, read_document(document), headers, now);
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
    const auto& choices = list_in(document, "choices");
    auto failure = openai_failure_within(document, response.head.headers, now);
    if (failure && choices.empty()) return *std::move(failure);

    reply reply;
    reply.used = openai_usage(document);
    const auto request_id = response.head.headers.find("x-request-id");
    reply.response_id = excerpt(request_id ? *request_id : text_in(document, "id"));
    if (choices.empty()) {
        reply.detail = "no choices";
        return reply;
    }
    const auto& choice = choices.front();
    const auto& message = member(choice, "message");
    const auto reason = text_in(choice, "finish_reason");
    const auto refusal = text_in(message, "refusal");
    reply.text = content_of(message);
    const bool has_text = !trimmed(reply.text).empty();
    // A choice with content is a reply, and billed, even if the response also has an error.
    if (failure && !has_text && refusal.empty() && !reply.used) return *std::move(failure);
    reply.end = refusal.empty() ? openai_end(reason, has_text) : reply_end::refused;
    reply.detail = excerpt(reason + ' ' + refusal);
    if (failure) reply.detail += " " + failure->detail;
    if (reason == "error" || member(choice, "error").is_object()) {
        const auto fault = read_document(choice);
        reply.end = reply_end::broken_off;
        reply.detail = fmt::format("broken off: {} {}", fault.code, excerpt(fault.message));
    }
    return reply;
}

}  // namespace reelsd::model
