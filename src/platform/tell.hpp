#pragma once

#include <reelsd/net/http_client.hpp>
#include <reelsd/platform/observed_answer.hpp>

namespace reelsd::platform {

/// Shows an answer to whoever wants to see it.
inline void tell(
    const answer_observer& observe, std::string_view question, const net::http_response& answer,
    deadline::clock::time_point asked_at, const answer_signals& signals,
    const answer_verdict& verdict) {
    if (!observe) return;
    observe(
        {.question = question,
         .url = answer.url,
         .status = answer.status(),
         .body = answer.body,
         .took = deadline::clock::now() - asked_at,
         .signals = signals,
         .reason = verdict.reason});
}

}  // namespace reelsd::platform
