#include "step_failure.hpp"

#include <reelsd/base/random.hpp>

#include <variant>

namespace reelsd::work {
namespace {

void log_cooldown(
    const jobs::claimed_job& job, seconds_f wait, const error& why, const log::logger& log) {
    log.info(
        "job waits for a platform cool-down to end",
        {{"job", job.id.value}, {"seconds", wait.count()}, {"reason", why.detail()}});
}

}  // namespace

step_failure failure_of(const platform::unresolved& failure) {
    step_failure failed{failure.why, obstacle::failure, failure.not_before};
    failed.cooldown_left = failure.cooldown_left;
    if (!failure.snooze) return failed;
    failed.what = obstacle::platform_pace;
    failed.not_before = failure.snooze->wait;
    failed.is_cooldown = failure.snooze->is_cooldown;
    return failed;
}

step_failure failure_of(const model::analysis_failure& failure) {
    const auto what = failure.asked_to_wait ? obstacle::model_wait : obstacle::failure;
    return {failure.why, what, failure.not_before};
}

jobs::transition after_wait(
    const jobs::claimed_job& job, const step_failure& until, const jobs::retry_policy& policy,
    const log::logger& log) {
    const bool is_models = until.what == obstacle::model_wait;
    const log::fields about{
        {"job", job.id.value},
        {"seconds", until.not_before.count()},
        {"reason", until.why.detail()}};
    if (is_models) {
        // The analyzer has logged why; nothing has failed here.
        log.debug("job waits for a model to accept requests again", about);
    } else if (until.is_cooldown) {
        log_cooldown(job, until.not_before, until.why, log);
    } else {
        log.debug("job waits for the platform's rate limit", about);
    }
    const jobs::snooze later{
        .wait = until.not_before,
        .is_cooldown = is_models || until.is_cooldown,
        .of = is_models ? until.why.code() : errc::platform_rate_limited};
    return jobs::after_snooze(job, later, wall_clock_now(), policy);
}

jobs::transition after_failure(
    const jobs::claimed_job& job, const step_failure& failed, const char* step,
    const jobs::retry_policy& policy, const log::logger& log) {
    const auto& why = failed.why;
    if (why.code() != errc::cancelled) {
        log.warning(
            "attempt failed",
            {{"job", job.id.value},
             {"attempt", job.attempt},
             {"step", step},
             {"code", name_of(why.code())},
             {"reason", why.detail()}});
    }
    const double chance = random_between(0.0, 1.0);
    if (why.code() == errc::database_unavailable) {
        return jobs::after_outage(job, why, wall_clock_now(), policy, chance);
    }
    auto ended = jobs::after_failure(job, why, failed.allowed, policy, chance, failed.not_before);
    const bool is_last = std::holds_alternative<jobs::failed>(ended);
    if (!is_last || failed.cooldown_left <= seconds_f{0}) return ended;
    const jobs::snooze until{.wait = failed.cooldown_left, .is_cooldown = true};
    auto later = jobs::after_snooze(job, until, wall_clock_now(), policy);
    if (!std::holds_alternative<jobs::snoozed>(later)) return ended;
    log_cooldown(job, until.wait, why, log);
    return later;
}

}  // namespace reelsd::work
