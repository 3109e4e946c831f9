#pragma once

#include "chat_api.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <chrono>
#include <string_view>

/// Interprets responses of the Gemini API. Pure, except for the default `now`. Source:
/// ai.google.dev/api/generate-content (`GenerateContentResponse`) and
/// ai.google.dev/gemini-api/docs/troubleshooting (errors).
namespace reelsd::model {

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

/// An error object ({"code", "message", "status", "details"}), also with status 200.
[[nodiscard]] call_failure gemini_failure(
    const json& object, gemini_target target, std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
