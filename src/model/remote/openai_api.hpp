#pragma once

#include "chat_api.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/remote_settings.hpp>
#include <reelsd/net/request_body.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Requests to servers with chat completions, and their responses. Pure, except for `now`.
/// Source: OpenAI API reference, "The chat completion object" and "Error codes".
namespace reelsd::model {

/// Chat completions, which many servers offer. Source: OpenAI API reference, "Create chat
/// completion". `media` outlives it.
[[nodiscard]] std::unique_ptr<chat_api> make_openai_api(
    openai_settings settings, const media::media_client& media);

/// A request without body. `key` may be empty.
[[nodiscard]] net::http_request openai_request(
    net::http_method method, std::string url, const std::string& key);

/// Why a list of models (`GET /v1/models`) does not confirm key and model; empty if it does, and if
/// its format is unknown.
[[nodiscard]] std::optional<call_failure> listed_model_fault(
    const net::http_response& response, std::string_view model);

/// A request body without its messages: from the comma after them to the end. Pure.
[[nodiscard]] std::string openai_options(
    const openai_settings& settings, const request_options& options, const prompt& prompt);

struct frame_file {
    double seconds = 0;
    net::file_range jpeg;
};

/// The media of a video that a mode sends; empty for a request of text alone.
struct sent_media {
    std::optional<net::file_range> video;
    std::vector<frame_file> frames;
    std::optional<net::file_range> sound;  ///< WAVE. Absent when the video has none.
};

/// The user's message: the JSON of a list of parts, media first, streamed. Pure.
void add_message_parts(
    net::request_body& body, const sent_media& media, const openai_settings& settings,
    std::string_view mime_type, std::string_view task);

/// A response with status 200.
[[nodiscard]] model_reply openai_reply(
    const net::http_response& response,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// A response with another status than 200.
[[nodiscard]] call_failure openai_failure(
    const net::http_response& response,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// The HTTP status of the error in a body with status 200, 500 if it has none; empty without error.
[[nodiscard]] std::optional<int> error_status_within(const json& document);

/// The error in a body with status 200; empty if there is none.
[[nodiscard]] std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
