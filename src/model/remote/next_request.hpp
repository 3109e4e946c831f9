#pragma once

#include "chat_api.hpp"

#include <optional>
#include <span>
#include <string>

/// Decides on the next request about a video after an unusable reply or a refusal.
namespace reelsd::model {

/// The changes that were tried for one video. Each helps at most once.
struct tried_changes {
    int paid_again = 0;  ///< Paid requests after the first.
    bool repaired = false;
    bool enlarged = false;
    bool paraphrased = false;
    bool repeated = false;
    bool uploaded_again = false;
};

/// After an unusable reply: nothing when no change would help, or after two further paid requests.
/// Pure except for `tried`.
[[nodiscard]] std::optional<request_options> next_request(
    const request_options& options, reply_end end, std::span<const std::string> violations,
    tried_changes& tried);

/// After a refusal that cost nothing. Pure except for `tried`.
[[nodiscard]] std::optional<request_options> next_request(
    const request_options& options, failure_kind why, tried_changes& tried);

}  // namespace reelsd::model
