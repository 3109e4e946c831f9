#pragma once

#include "chat_api.hpp"

/// What chat completions mean. Source: model-api.md B. Pure.
namespace reelsd::model {

/// An answer under status 200.
[[nodiscard]] model_reply openai_reply(
    const net::http_response& answer, std::chrono::system_clock::time_point now);

}  // namespace reelsd::model
