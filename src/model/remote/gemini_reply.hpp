#pragma once

#include "chat_api.hpp"

#include <string_view>

/// What Gemini's answers mean. Source: model-api.md A2. Pure.
namespace reelsd::model {

/// The body of an answer under status 200.
[[nodiscard]] model_reply gemini_reply(
    std::string_view body, std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
