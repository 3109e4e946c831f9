#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/completion_board.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/http/router.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct reels_service {
    jobs::job_store jobs;
    jobs::completion_board& board;
    /// The gate's own check of who asks, for answers that have waited.
    http::gate::check recognise;
    std::function<void(job_id)> job_removed;
    /// Authenticates a GET and may load the reel in the same statement. Empty: the gate does.
    http::gate::check load = {};
};

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service);

/// The id in a path: `not_found` unless it is a positive 64-bit integer in plain digits. Pure.
[[nodiscard]] result<job_id> requested_id(std::string_view text);

/// `?wait=`: 0 when absent; `invalid_argument` unless a number from 0 to 60. Pure.
[[nodiscard]] result<std::chrono::milliseconds> requested_wait(
    std::optional<std::string_view> text);

}  // namespace reelsd::api
