#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/platform/answer_outcome.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace reelsd::platform {

/// One answer as a resolver saw it, for people who want to know why it says what it says. The texts
/// live as long as the call.
struct observed_answer {
    std::string_view question;  ///< "post page", "root query", "logged-out query", ...
    std::string_view url;       ///< That was asked last, without tokens of anybody's.
    int status = 0;             ///< HTTP's; of a program its exit status.
    std::string_view body;      ///< As it came, unredacted.
    seconds_f took{0.0};
    /// What was read from an answer over HTTP.
    std::optional<answer_signals> signals = {};
    /// What it comes to: "gated"; empty when it has the post.
    std::string_view reason = {};
};

/// Told after each answer. From any thread.
using answer_observer = std::function<void(const observed_answer&)>;

}  // namespace reelsd::platform
