#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/completion_board.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::api {

/// The one route whose requests are counted as submissions.
inline constexpr std::string_view submission_route = "/api/v1/reels/analyze";

/// What the handlers of this resource use. Outlives the router.
struct reels_service {
    jobs::job_store jobs;
    jobs::completion_board& board;
    jobs::default_limits limits;
    std::function<void()> job_accepted;
};

void add_reel_routes(http::router& router, reels_service& service);

/// The link in the body of a submission: `invalid_argument` when there is none, with the text that
/// the client reads. Pure.
[[nodiscard]] result<std::string> requested_url(const json& body);

/// The id in a path: `not_found` unless it is a positive 64-bit integer in plain digits. Pure.
[[nodiscard]] result<job_id> requested_id(std::string_view text);

/// `?wait=`: 0 when absent; `invalid_argument` unless a number from 0 to 60. Pure.
[[nodiscard]] result<std::chrono::milliseconds> requested_wait(
    std::optional<std::string_view> text);

}  // namespace reelsd::api
