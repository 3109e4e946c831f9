#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
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
}

namespace reelsd::work {

class call_recorder;
class shared_rate_limiter;
class scratch_space;

/// What an attempt needs. All outlive the executor and, except for `store`, are safe from any
/// thread.
struct executor_dependencies {
    const platform::source& source;
    shared_rate_limiter& rate_limiter;
    const media::media_client& media;
    const model::analyzer& analyzer;
    /// For test links, which cost nothing whatever the operator has set.
    const model::analyzer& free_analyzer;
    const model::embedder& embedder;
    const scratch_space& scratch;
    /// Where `store` is used: worker threads wait for its operations. Runs while they do.
    boost::asio::any_io_executor loop;
    jobs::job_store& store;
    const call_recorder& recorder;
    /// Whether `analyzer` may ask a model that costs money.
    bool analysis_costs_money = false;
    /// Told by the worker's thread what is being done: "resolve", "download", "probe", "analyze".
    /// Must not block; empty: nobody wants to know.
    std::function<void(const jobs::claimed_job&, std::string_view step)> on_step = {};
};

/// Runs one attempt at one job: resolve, download, probe, analyze, assemble, thumbnail. Blocking,
/// for worker threads; one executor serves all of them.
class executor {
public:
    executor(executor_dependencies parts, jobs::retry_policy policy, log::logger log)
        : parts_{std::move(parts)}, policy_{policy}, log_{std::move(log)} {}

    /// How the attempt ends. Never throws: this is the boundary at which whatever a step throws
    /// becomes a failed attempt. Ends within about a second of a stop request and within
    /// bounds::job_time_max in any case. A stop hands the job back, unless its analysis is there:
    /// that is `completed`, whatever the reason for the stop, because a report under a lost claim
    /// or for a deleted job changes nothing.
    [[nodiscard]] jobs::transition run(
        const jobs::claimed_job& job, std::stop_token stop) const noexcept;

private:
    executor_dependencies parts_;
    jobs::retry_policy policy_;
    log::logger log_;
};

}  // namespace reelsd::work
