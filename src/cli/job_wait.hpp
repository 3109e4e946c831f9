#pragma once

#include "api_client.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace reelsd::cli {

/// Last known state of a job.
struct job_progress {
    std::int64_t id = 0;
    std::string status;
    std::int64_t attempt = 0;  ///< From 1; 0: none has begun, or not known.
    std::string step = {};     ///< Current step; empty: not known.
};

/// Reads the state from a job's document or from the data of an event.
[[nodiscard]] job_progress progress_of(std::int64_t id, const json& job);

/// "reel 42: processing (download, attempt 2)": one printable line.
[[nodiscard]] std::string progress_text(const job_progress& state);

/// Whether the job is done or has failed, so that it will not change.
[[nodiscard]] bool has_ended(const json& job);
[[nodiscard]] bool has_ended(const job_progress& state) noexcept;

/// Waits up to `at_most` until job `id` is done or has failed. Returns the finished job or its last
/// known state. Follows the job's events and reconnects after breaks. Polls if events are not
/// available: from an older server, or through a proxy that buffers them. Calls `on_progress` on
/// the calling thread for each state but the returned one. Errors: as of api_client::job.
[[nodiscard]] result<api_answer> await_job(
    const api_client& api, std::int64_t id, std::chrono::seconds at_most,
    const std::stop_token& stop, const std::function<void(const job_progress&)>& on_progress);

}  // namespace reelsd::cli
