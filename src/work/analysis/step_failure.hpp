#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/model/analyzer.hpp>
#include <reelsd/platform/resolver.hpp>

#include <boost/system/result.hpp>

#include <cstdint>
#include <utility>

namespace reelsd::work {

/// Why an attempt has no result.
enum class obstacle : std::uint8_t {
    failure,
    no_permit,       ///< The job joins the line for a permit.
    platform_pace,   ///< The platform's rate limit delays the job.
    model_wait,      ///< The model's provider has named a time.
    same_post,       ///< Another job of the account analyses the same post.
    unsaved_answer,  ///< The attempt was stopped before the database had a model's answer.
};

/// Why a step ended the attempt. The executor maps it to a transition of the job.
struct step_failure {
    error why;
    obstacle what = obstacle::failure;
    seconds_f not_before{0};   ///< The next attempt should begin no earlier.
    bool is_cooldown = false;  ///< With platform_pace: the platform has rate-limited the resolver.
    seconds_f cooldown_left{0};  ///< As in platform::unresolved.
    jobs::retry_allowed allowed = jobs::retry_allowed::yes;

    step_failure() = default;
    /// Implicit, as a plain error is the usual case.
    step_failure(error cause, obstacle kind = obstacle::failure, seconds_f earliest = {})
        : why{std::move(cause)}, what{kind}, not_before{earliest} {}
};

template <class T>
using step_result = boost::system::result<T, step_failure>;

[[nodiscard]] step_failure failure_of(const platform::unresolved& failure);
[[nodiscard]] step_failure failure_of(const model::analysis_failure& failure);

/// The transition of a job that has to wait for the platform or for a model. Logs it.
[[nodiscard]] jobs::transition after_wait(
    const jobs::claimed_job& job, const step_failure& until, const jobs::retry_policy& policy,
    const log::logger& log);

/// The transition of a job whose attempt failed in `step`. Logs it. The last attempt waits for a
/// resolver that cools down, unless this takes too long.
[[nodiscard]] jobs::transition after_failure(
    const jobs::claimed_job& job, const step_failure& failed, const char* step,
    const jobs::retry_policy& policy, const log::logger& log);

}  // namespace reelsd::work
