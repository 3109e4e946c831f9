#include <reelsd/base/random.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/shared_rate_limiter.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

/// One statement, asked before any work is done.
constexpr auto ask_time_max = 5s;

/// The wait of a job in line, whatever the pace: longer than any worker waits for a permit.
constexpr seconds_f line_wait = 1h;
/// Minimum wait for a resolver that cooled down when the job's permit for a later one was granted.
constexpr seconds_f passed_over_wait_min = 1s;
/// For releasing an unused permit.
constexpr auto release_time_max = 1s;

/// Upper bound on the pause of a link after an answer that may concern only this link. Three
/// attempts of a job then end within the hour that a job may wait for the platform.
constexpr seconds_f link_rest_max{900.0};

pacing::outcome outcome_of(platform::try_outcome ended) noexcept {
    switch (ended) {
        case platform::try_outcome::answered: return pacing::outcome::answered;
        case platform::try_outcome::rate_limited: return pacing::outcome::rate_limited;
        case platform::try_outcome::changed: return pacing::outcome::changed;
        case platform::try_outcome::throttled: return pacing::outcome::throttled;
        case platform::try_outcome::failed: break;
    }
    return pacing::outcome::failed;
}

}  // namespace

result<platform::required_wait> shared_rate_limiter::ask(std::string_view resolver, deadline by) {
    auto permit = ask_resolver(resolver, by);
    if (!permit || permit->wait > 0s) return permit;
    return ask_session(resolver, by);
}

result<platform::required_wait> shared_rate_limiter::ask_resolver(
    std::string_view resolver, deadline by) {
    if (pace_.interval <= 0s && pace_.cooldown_first <= 0s) return platform::required_wait{};
    const auto until = by.at_most(ask_time_max);
    return wait_for_permit(
        store_.ask({.host = host_, .resolver = std::string{resolver}}, spread(pace_), until),
        until);
}

result<platform::required_wait> shared_rate_limiter::ask_session(
    std::string_view resolver, deadline by) {
    const bool is_limited = session_.pace.interval > 0s || session_.pace.cooldown_first > 0s;
    if (!is_limited || !uses_session(resolver)) return platform::required_wait{};
    const auto until = by.at_most(ask_time_max);
    auto permit = wait_for_permit(store_.ask(session(), spread(session_.pace), until), until);
    if (!permit || permit->wait > 0s)
        release({.host = host_, .resolver = std::string{resolver}}, until);
    return permit;
}

/// Ends a permit that was not used, or the session's. Without the database it ends by itself in a
/// minute.
void shared_rate_limiter::release(
    const pacing::paced_resolver& resolver, deadline by, pacing::outcome ended) {
    const auto released = wait_for(loop_, store_.note(resolver, {}, ended, pace_, by), by);
    if (!released)
        log_.debug("releasing a permit failed", {{"reason", released.error().to_string()}});
}

result<platform::required_wait> shared_rate_limiter::ask_permit(
    const jobs::claimed_job& job, std::string_view resolver, deadline by) {
    const auto until = by.at_most(ask_time_max);
    return wait_for_permit(
        store_.ask_permit(
            job.id,
            job.claim,
            {.host = host_, .resolver = std::string{resolver}},
            spread(pace_),
            until),
        until);
}

pacing::pace shared_rate_limiter::spread(pacing::pace pace) {
    pace.interval *= random_between(0.5, 1.5);
    return pace;
}

result<platform::required_wait> shared_rate_limiter::wait_for_permit(
    awaitable<pacing::permit> request, deadline by) {
    const auto permit = wait_for(loop_, std::move(request), by);
    if (!permit) return permit.error();
    if (permit->given == pacing::permit::status::in_line) {
        return platform::required_wait{.wait = line_wait};
    }
    return platform::required_wait{
        .wait = permit->wait, .is_cooldown = permit->given == pacing::permit::status::cooling_down};
}

result<seconds_f> shared_rate_limiter::cooldown_of(std::string_view resolver, deadline by) const {
    const auto until = by.at_most(ask_time_max);
    const auto states = wait_for(loop_, store_.list(host_, until), until);
    if (!states) return states.error();
    const auto state = std::ranges::find(*states, resolver, &pacing::resolver_state::resolver);
    return state == states->end() ? seconds_f{0} : state->cooldown_left;
}

bool shared_rate_limiter::has_ever_answered(deadline by) const {
    if (has_answered_) return true;
    const auto until = by.at_most(ask_time_max);
    const auto states = wait_for(loop_, store_.list(host_, until), until);
    if (!states) return true;
    has_answered_ = std::any_of(states->begin(), states->end(), [this](const auto& state) {
        return state.answered_at.has_value() && platform::is_in_use(state.resolver, resolvers_);
    });
    return has_answered_;
}

seconds_f shared_rate_limiter::note(
    std::string_view resolver, const platform::finished_try& ended, deadline by) noexcept {
    try {
        if (uses_session(resolver)) {
            // Other outcomes may concern the resolver alone.
            const bool is_of_account = ended.outcome == platform::try_outcome::answered ||
                                       ended.outcome == platform::try_outcome::throttled;
            release(
                session(), by, is_of_account ? outcome_of(ended.outcome) : pacing::outcome::failed);
        }
        const auto consequence = wait_for(
            loop_,
            store_.note(
                {.host = host_, .resolver = std::string{resolver}},
                std::string{ended.code},
                outcome_of(ended.outcome),
                pace_,
                by),
            by);
        if (!consequence) {
            log_.warning(
                "recording a resolver's outcome failed",
                {{"resolver", resolver}, {"reason", consequence.error().to_string()}});
            return seconds_f{0};
        }
        log(resolver, *consequence);
        const bool is_suspected =
            ended.outcome == platform::try_outcome::rate_limited && !consequence->cooldown;
        return is_suspected ? std::min(pace_.cooldown_first, link_rest_max) : seconds_f{0};
    } catch (const std::exception& failure) {
        log_.error("recording a resolver's outcome failed", {{"reason", failure.what()}});
        return seconds_f{0};
    }
}

void shared_rate_limiter::log(
    std::string_view resolver, const pacing::consequence& consequence) const {
    if (consequence.cooldown) {
        log_.warning(
            "the platform rate-limits this server: resolver cools down",
            {{"resolver", resolver}, {"seconds", consequence.cooldown->count()}});
    }
    if (consequence.warn) {
        log_.warning(
            "resolver seems outdated: all recent responses have an unknown "
            "format",
            {{"resolver", resolver},
             {"answers", consequence.unknown_answers},
             {"look_with", "reelsd resolve URL --strategy " + std::string{resolver}}});
    }
}

job_rate_limiter::~job_rate_limiter() {
    if (permit_.empty()) return;
    shared_.note(
        permit_,
        {.outcome = platform::try_outcome::failed, .code = {}},
        deadline::after(release_time_max));
}

result<platform::required_wait> job_rate_limiter::ask(std::string_view resolver, deadline by) {
    if (!needs_permit_) return shared_.ask(resolver, by);
    if (permit_.empty()) {
        auto permit = shared_.ask_permit(job_, resolver, by);
        if (!permit || permit->wait > 0s) return permit;
        needs_permit_ = false;
        return shared_.ask_session(resolver, by);
    }
    if (resolver != permit_) {
        const auto left = shared_.cooldown_of(resolver, by);
        if (!left) return left.error();
        return platform::required_wait{
            .wait = std::max(*left, passed_over_wait_min), .is_cooldown = true};
    }
    permit_.clear();
    needs_permit_ = false;
    return shared_.ask_session(resolver, by);
}

}  // namespace reelsd::work
