#pragma once

#include "../job_wait.hpp"
#include "protocol.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>

#include <cstdint>
#include <optional>

namespace reelsd::cli::mcp {

/// Tells a client how a call gets on. For the call's thread.
class call_progress {
public:
    /// `token` is the one that the client gave.
    call_progress(json token, revision spoken);

    /// The notification about a job that is in work: the seconds since the call began, which
    /// is what only grows. Nothing when none would be greater than the last one's, nor about a job
    /// that has ended: the call's answer is on its way, and a client that gets both at once may
    /// have closed the call when it looks at the notification.
    [[nodiscard]] std::optional<json> message_about(const job_progress& now);

private:
    json token_;
    revision spoken_;
    monotonic_clock::time_point since_ = monotonic_clock::now();
    std::int64_t told_milliseconds_ = -1;
};

}  // namespace reelsd::cli::mcp
