#pragma once

#include "chat_api.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/model/remote_settings.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Requests to the Gemini API and its responses. Pure, except for the default `now`. Source:
/// ai.google.dev/api/generate-content (`GenerateContentResponse`) and
/// ai.google.dev/gemini-api/docs/troubleshooting (errors).
namespace reelsd::model {

/// Gemini API, `generateContent`. Source: ai.google.dev/api/generate-content. `http` and `log`
/// outlive it.
[[nodiscard]] std::unique_ptr<chat_api> make_gemini_api(
    gemini_settings settings, const net::http_client& http, const log::logger& log);

/// What a request says about the video that it sends.
struct gemini_video {
    double duration_seconds = 0;
    std::string_view mime_type;
};

/// The parts of a request's body around the video. Pure.
struct gemini_body {
    std::string before;  ///< Up to the video's base64 or the file's address; all without a video.
    std::string after;
};
[[nodiscard]] gemini_body gemini_body_for(
    const gemini_settings& settings, const request_options& options, const prompt& prompt,
    const std::optional<gemini_video>& video);

/// Our schema without keywords that Gemini does not know, and with the order of properties. Pure.
[[nodiscard]] json gemini_schema(const json& schema);

/// The request, because the same status has different meanings.
enum class gemini_target : std::uint8_t { generate, file };

/// The body of a response with status 200.
[[nodiscard]] model_reply gemini_reply(
    std::string_view body,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// A response with another status than 200.
[[nodiscard]] call_failure gemini_failure(
    const net::http_response& response, gemini_target target = gemini_target::generate,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// An error object ({"code", "message", "status", "details"}), even with status 200.
[[nodiscard]] call_failure gemini_failure(
    const json& object, gemini_target target, std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
