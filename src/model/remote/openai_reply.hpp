#pragma once

#include "chat_api.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <chrono>
#include <optional>

/// Interprets the responses of servers with chat completions. Pure, except for the default `now`.
/// Source: OpenAI API reference, "The chat completion object" and "Error codes".
namespace reelsd::model {

/// A response with status 200.
[[nodiscard]] model_reply openai_reply(
    const net::http_response& response,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// A response with another status than 200.
[[nodiscard]] call_failure openai_failure(
    const net::http_response& response,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// The error in a body with status 200; empty if there is none.
[[nodiscard]] std::optional<call_failure> openai_failure_within(
    const json& document, const net::header_list& headers,
    std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
