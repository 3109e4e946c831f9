#pragma once

#include "chat_api.hpp"

#include <optional>
#include <span>
#include <string>

/// What is asked after an answer or a refusal that was not it. Source: model-api.md A2, A4 and C.
namespace reelsd::model {

/// What has been tried about one video already: each way of asking helps once or never.
struct tried_ways {
    int paid_again = 0;  ///< Questions after the first that cost money.
    bool repaired = false;
    bool enlarged = false;
    bool paraphrased = false;
    bool repeated = false;
    bool found_again = false;
};

/// After a reply that could not be used: another question, or nothing when none would help or the
/// money is better kept (two further ones at most). Pure but for `ways`.
[[nodiscard]] std::optional<question> question_after(
    const question& asked, reply_end ended, std::span<const std::string> violations,
    tried_ways& ways);

/// After a refusal that cost nothing: the same question in another way. Pure but for `ways`.
[[nodiscard]] std::optional<question> question_after(
    const question& asked, failure_kind why, tried_ways& ways);

}  // namespace reelsd::model
