#pragma once

#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::api {

/// The answer to a read of one reel.
struct reel_read {
    std::optional<http::response> refused = {};  ///< Set when the caller is unknown.
    /// JSON as clients see it; null when the caller has no such reel.
    std::shared_ptr<const std::string> text = {};
    bool has_ended = false;  ///< Whether the reel's job is done or has failed.
};

/// Authenticates the caller and reads one of their reels.
using reel_reader =
    std::function<boost::asio::awaitable<reel_read>(http::request_context&, job_id)>;

/// Dependencies of the handlers of this resource. Outlives the router.
struct reels_service {
    reel_reader read;
    jobs::job_store jobs;
    jobs::change_poller& poller;
    std::function<void(job_id)> job_removed;
};

/// Returns a reader that authenticates with the middleware of the path.
[[nodiscard]] reel_reader authenticated_reader(jobs::job_store jobs);

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service);

/// Reads an id of a path. Errors: not_found unless it is a positive 64-bit integer in digits. Pure.
[[nodiscard]] result<job_id> requested_id(std::string_view text);

/// Reads `?wait=`: 0 when absent. Errors: invalid_argument unless a number from 0 to 60. Pure.
[[nodiscard]] result<std::chrono::milliseconds> requested_wait(
    std::optional<std::string_view> text);

/// Reads `?size=`: the large one when absent. Errors: invalid_argument unless small or large. Pure.
[[nodiscard]] result<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text);

}  // namespace reelsd::api
