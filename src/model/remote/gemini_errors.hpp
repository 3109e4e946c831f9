#pragma once

#include "call_failure.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/net/http_client.hpp>

#include <chrono>
#include <string_view>

/// What Gemini's refusals mean. Source: model-api.md A4. Pure.
namespace reelsd::model {

/// What was asked for: the same status means other things.
enum class gemini_target : std::uint8_t { generate, file };

/// `status` is not 200.
[[nodiscard]] call_failure gemini_failure(
    int status, const net::header_list& headers, std::string_view body, gemini_target target,
    std::chrono::system_clock::time_point now);

/// An error object ({"code", "message", "status", "details"}) that came under status 200, too.
[[nodiscard]] call_failure gemini_failure(
    const json& told, gemini_target target, std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
