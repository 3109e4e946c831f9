#pragma once

#include "../job_wait.hpp"
#include "protocol.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace reelsd::cli::mcp {

/// Makes the progress notifications of one call. Used by the call's thread alone.
class call_progress {
public:
    /// `token` is the one that the client gave.
    call_progress(json token, revision spoken);

    /// The notification for a job that has not ended. Its `progress` is the seconds since the call
    /// began, which strictly increases as the protocol requires. Returns nothing when the text,
    /// whole seconds included, is that of the previous notification, and for a job that has ended:
    /// the call's answer follows at once, and a client that reads both together may have closed
    /// the call before it handles the notification.
    [[nodiscard]] std::optional<json> message_about(const job_progress& now);

private:
    json token_;
    revision spoken_;
    monotonic_clock::time_point since_ = monotonic_clock::now();
    std::int64_t last_milliseconds_ = -1;
    std::string last_text_;
};

}  // namespace reelsd::cli::mcp
