#pragma once

#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

namespace reelsd::platform {
class source;
}
namespace reelsd::media {
class media_client;
}
namespace reelsd::model {
class analyzer;
class embedder;
}  // namespace reelsd::model

namespace reelsd::jobs {
class job_store;
class upload_store;
}  // namespace reelsd::jobs

namespace reelsd::work {

class call_recorder;
class kept_media;
class shared_rate_limiter;
class scratch_space;

/// The analyzer of one attempt, which keeps it when the stored model changes.
struct attempt_analyzer {
    std::shared_ptr<const model::analyzer> analyzer;  ///< Null if this daemon does not have it.
    bool costs_money = false;                         ///< It may call a paid model.
};

/// Dependencies of an attempt. All outlive the executor and, except for `store` and `uploads`, are
/// thread-safe.
struct executor_dependencies {
    const platform::source& source;
    shared_rate_limiter& rate_limiter;
    const media::media_client& media;
    /// The analyzer that a submission names, or the configured one for an empty name. Thread-safe.
    std::function<attempt_analyzer(std::string_view name)> analyzer;
    /// For test links, which are free whatever the settings are.
    const model::analyzer& free_analyzer;
    const model::embedder& embedder;
    const scratch_space& scratch;
    /// The loop of `store` and `uploads`. It runs while worker threads wait for them.
    boost::asio::any_io_executor loop;
    jobs::job_store& store;
    jobs::upload_store& uploads;
    const kept_media& media_kept;
    const call_recorder& recorder;
    /// Whether a speech server may be paid, even for the local analyzer.
    bool transcription_costs_money = false;
    /// Called on the worker's thread as a step begins: "resolve", "download", "probe", "analyze".
    /// Must not block. Optional.
    std::function<void(const jobs::claimed_job&, std::string_view step)> on_step = {};
};

/// Runs one attempt at one job: resolve, download, probe, analyze, assemble, thumbnail. Blocking,
/// for worker threads; one executor serves all of them.
class executor {
public:
    executor(executor_dependencies parts, jobs::retry_policy policy, log::logger log)
        : parts_{std::move(parts)}, policy_{policy}, log_{std::move(log)} {}

    /// Runs the attempt and returns how it ends. Never throws: an exception of a step becomes a
    /// failed attempt here. Ends within about a second of a stop request and always within
    /// bounds::job_time_max. A stop releases the job unless its analysis is complete. A complete
    /// analysis is `completed` whatever the reason for the stop, because a report under a lost
    /// claim or for a deleted job changes nothing.
    [[nodiscard]] jobs::transition run(
        const jobs::claimed_job& job, std::stop_token stop) const noexcept;

private:
    executor_dependencies parts_;
    jobs::retry_policy policy_;
    log::logger log_;
};

}  // namespace reelsd::work
