#include "simulated_runner.hpp"

#include "simulated_queue.hpp"

#include <utility>

namespace reelsd::simulation {
namespace {

using namespace std::chrono_literals;

/// docs/adr/0002: time that steps need to stop.
constexpr duration stop_time_max = 100ms;
/// Share of stop requests that are too late.
constexpr double ends_by_itself = 0.2;
constexpr duration snooze_max = 5s;
/// Time until an attempt knows that it has to wait for a permit.
constexpr duration asking_time_max = 20ms;

}  // namespace

simulated_runner::simulated_runner(
    surroundings around, daemon_start who, std::size_t capacity, std::function<void()> die)
    : around_{std::move(around)}, who_{who}, capacity_{capacity}, die_{std::move(die)} {}

simulated_runner::~simulated_runner() {
    for (const auto& [number, one] : attempts_) {
        if (one.is_at_work) around_.watch.note_end(one.held, who_);
    }
}

void simulated_runner::start(jobs::claimed_job job, std::stop_token stop, end_handler on_end) {
    invariant(attempts_.size() < capacity_);
    const auto number = ++started_;
    auto& started = attempts_[number];
    started.held = {job.id, job.claim};
    started.on_end = std::move(on_end);
    if (stop.stop_requested()) return plan_end(number, 0s, jobs::released{});
    started.is_at_work = true;
    around_.watch.note_begin(started.held, who_);
    const bool waits = job.permit.empty() && around_.chance.chance(around_.mix.needs_permit) &&
                       !around_.ask_permit(started.held);
    auto ended = waits ? jobs::awaiting_permit{around_.mix.line.host} : drawn_end(job);
    const auto stopped = [this, number, ended] {
        const bool too_late = around_.chance.chance(ends_by_itself);
        const jobs::transition instead = too_late ? ended : jobs::released{};
        plan_end(number, around_.chance.between(duration::zero(), stop_time_max), instead);
    };
    started.on_stop.emplace(std::move(stop), stopped);
    const auto time =
        waits ? around_.chance.between(duration::zero(), asking_time_max) : drawn_time();
    if (around_.chance.chance(around_.mix.takes_daemon_down)) return plan_death(number, time);
    plan_end(number, time, std::move(ended));
}

duration simulated_runner::drawn_time() {
    if (around_.chance.chance(around_.mix.is_long)) return around_.mix.long_time;
    return around_.chance.around(around_.mix.time_mean);
}

jobs::transition simulated_runner::drawn_end(const jobs::claimed_job& job) {
    const auto& mix = around_.mix;
    double die = around_.chance.fraction();
    if (die < mix.fails) return jobs::failed{jobs::job_error_code::unavailable, "simulated"};
    die -= mix.fails;
    if (die >= 0 && die < mix.is_tried_again) {
        const error why{errc::platform_failed, "simulated"};
        const auto jitter = around_.chance.fraction();
        return jobs::after_failure(job, why, jobs::retry_allowed::yes, mix.policy, jitter);
    }
    die -= mix.is_tried_again;
    if (die >= 0 && die < mix.is_snoozed) {
        return jobs::snoozed{around_.chance.between(duration::zero(), snooze_max)};
    }
    die -= mix.is_snoozed;
    if (die >= 0 && die < mix.is_unstorable) return jobs::completed{unstorable_result};
    return jobs::completed{"{}"};
}

void simulated_runner::plan_end(std::uint64_t number, duration after, jobs::transition ended) {
    const auto happen = [weak = std::weak_ptr{self_}, number, ended = std::move(ended)] {
        if (const auto self = weak.lock()) (*self)->end(number, ended);
    };
    around_.loop.after(after, happen);
}

void simulated_runner::end(std::uint64_t number, jobs::transition ended) {
    const auto match = attempts_.find(number);
    // It was stopped and ended before this event.
    if (match == attempts_.end()) return;
    if (match->second.is_at_work) around_.watch.note_end(match->second.held, who_);
    const auto tell = std::move(match->second.on_end);
    attempts_.erase(match);
    tell(std::move(ended));
}

void simulated_runner::plan_death(std::uint64_t number, duration after) {
    const auto happen = [weak = std::weak_ptr{self_}, number] {
        const auto self = weak.lock();
        if (!self || !(*self)->attempts_.contains(number)) return;
        const auto die = (*self)->die_;  // Destroys this object.
        die();
    };
    around_.loop.after(after, happen);
}

}  // namespace reelsd::simulation
