#include "world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::simulation {
namespace {

using namespace std::chrono_literals;

/// Shortest lease that allows for 0.85 of it, late timers, a stop and the slowest clocks.
constexpr seconds_f lease_min{4};
constexpr seconds_f lease_max{12};
/// Clock drift between the database and all daemons, and between daemons.
constexpr double clock_drift_max = 0.02;
constexpr double daemon_drift_max = 0.02;

/// Open jobs for each worker from which clients stop submitting, because a longer backlog has no
/// effect.
constexpr std::size_t backlog_max = 4;
constexpr std::size_t burst_max = 12;
/// Lower bound of a daemon's largest number of workers.
constexpr std::size_t workers_min = 5;
/// Share of the jobs.
constexpr double deleted_share = 0.06;
constexpr double waited_for_share = 0.1;
/// How long an ended job is observed: longer than any late statement.
constexpr duration memory = 40s;
/// Some job ends at least this often, even with faults.
constexpr duration standstill_max = 30min;

/// Duration of the conditions, how often a daemon dies, is stopped or disconnected, and for how
/// long.
constexpr duration weather_mean = 8s;
constexpr duration outage_mean = 12s;
constexpr duration trouble_mean = 20s;
constexpr duration repair_mean = 4s;

/// Each kind of fault separately, so that none hides another, and then all of them.
weather drawn_weather(dice& chance) {
    switch (chance.below(9)) {
        case 0: return {.lost_before = 0.3};
        case 1: return {.lost_after = 0.3};
        case 2: return {.delay_mean = 700ms};
        case 3: return {.late = 0.3};
        case 4: return {.is_outage = true};
        case 5: return {.refused = 0.2};
        case 6: return {.slow_answer = 0.5};
        case 7:
            return {
                .delay_mean = 50ms,
                .lost_before = 0.1,
                .lost_after = 0.1,
                .late = 0.1,
                .refused = 0.05};
        default: return {};
    }
}

work_mix drawn_mix(dice& chance, seconds_f lease) {
    // Jobs that are shorter than a claim are prefetched.
    const bool is_short = chance.chance(0.5);
    work_mix mix{
        .time_mean = is_short ? chance.between(duration{1ms}, duration{10ms})
                              : chance.between(duration{100ms}, duration{1s}),
        .long_time = in_clock_units(1.5 * lease),
        .is_long = 0.03,
        .fails = 0.1,
        .is_tried_again = 0.15,
        .is_snoozed = 0.05,
        .needs_permit = chance.chance(0.5) ? 0.3 : 0.0,
        .is_unstorable = 0.02,
        .takes_daemon_down = 0.002,
        .policy = {},
        .line = {.host = "platform", .resolvers = {"page"}}};
    mix.line.interval = mix.time_mean / chance.between(1.0, 10.0);
    mix.policy.attempts_max = 2 + static_cast<int>(chance.below(3));
    mix.policy.base = seconds_f{chance.between(0.1, 2.0)};
    return mix;
}

ledger::rules rules_of(const work_mix& mix, seconds_f lease) {
    const auto retry_max = in_clock_units(
        jobs::retry_delay(mix.policy.attempts_max, mix.policy.base, 1.0) + seconds_f{5});
    return {
        .attempts_max = mix.policy.attempts_max,
        .wait_max = retry_max,
        // A millisecond for rounding.
        .lease_max = in_clock_units(lease * (1 + daemon_drift_max) + seconds_f{0.001}),
        .deleted_work_max = in_clock_units(lease)};
}

}  // namespace

world::world(const plan& with)
    : plan_{with},
      dice_{with.seed},
      lease_{dice_.between(lease_min.count(), lease_max.count())},
      mix_{drawn_mix(dice_, lease_)},
      ledger_{loop_, rules_of(mix_, lease_)},
      model_{[this](row_change why, const model_row* before, const model_row* after) {
          note_change(why, before, after);
      }},
      database_{
          loop_, dice_, ledger_, model_, dice_.between(1 - clock_drift_max, 1 + clock_drift_max)},
      places_(static_cast<std::size_t>(with.daemons)),
      workers_max_{workers_min + dice_.below(20)},
      last_end_{loop_.now()} {
    // The mean load is four fifths of the workers' capacity.
    const auto workers = static_cast<double>(places_.size() * (workers_max_ + 1)) / 2;
    const auto burst = static_cast<double>(burst_max + 1) / 2;
    submit_every_ = std::chrono::duration_cast<duration>(mix_.time_mean * burst / (0.8 * workers));
}

bool world::run() {
    for (std::size_t which = 0; which < places_.size(); ++which) {
        start(which);
        plan_trouble(which);
    }
    loop_.run_ready();
    plan_weather();
    plan_submissions();
    while (!is_clear_ && !ledger_.is_broken()) {
        go_on();
        const bool stands_still = loop_.now() - last_end_ > standstill_max && model_.open() > 0;
        ledger_.require(!stands_still, {}, "no job ends any more");
        if (ledger_.counts().submitted == plan_.lives) clear_up();
    }
    return run_until_quiet() && stop_all();
}

void world::clear_up() {
    is_clear_ = true;
    database_.set_weather({});
    for (const auto& one : places_) {
        if (one.daemon) one.daemon->join_again();
    }
    mix_.is_snoozed = 0;
    mix_.takes_daemon_down = 0;
}

bool world::run_until_quiet() {
    const auto by = loop_.now() + patience();
    while (!is_quiet() && !ledger_.is_broken()) {
        go_on();
        if (loop_.now() <= by) continue;
        const auto open =
            std::find_if(model_.rows().begin(), model_.rows().end(), [this](const auto& one) {
                return model_.ended_among({{one.first}}).empty();
            });
        const job_id job{open == model_.rows().end() ? 0 : open->first};
        ledger_.breach(job, "not all jobs ended although there are no more faults");
    }
    return !ledger_.is_broken();
}

duration world::patience() const {
    // Each attempt with the longest duration, after an expired lease and the longest pause, times
    // the jobs for each worker.
    const auto pause =
        in_clock_units(jobs::retry_delay(mix_.policy.attempts_max, mix_.policy.base, 1.0));
    const auto attempt = mix_.long_time + 10 * mix_.time_mean + 2 * in_clock_units(lease_) + pause;
    const auto rounds = static_cast<int>(1 + model_.open() / places_.size());
    // A statement gives one permit, which is lost with its answer.
    const auto permits = (in_clock_units(mix_.line.interval) + 100ms) * (10 * model_.open());
    return 60s + mix_.policy.attempts_max * rounds * attempt + permits;
}

bool world::is_quiet() const {
    if (model_.open() > 0 || ledger_.in_work() > 0) return false;
    return std::all_of(places_.begin(), places_.end(), [](const place& each) {
        return each.daemon && !each.daemon->is_stopping() && each.daemon->held() == 0 &&
               each.daemon->waiting_clients() == 0;
    });
}

bool world::stop_all() {
    for (std::size_t which = 0; which < places_.size(); ++which) stop(which);
    loop_.run_ready();
    const auto is_stopped = [](const place& one) { return one.daemon->has_stopped(); };
    const auto by = loop_.now() + 30s;
    while (!std::all_of(places_.begin(), places_.end(), is_stopped) && loop_.now() < by) {
        loop_.step([this] { check(); });
    }
    for (auto& target : places_) {
        ledger_.require(
            target.daemon->is_drained(), {}, "a daemon with nothing to do does not stop");
        target.daemon.reset();
    }
    return !ledger_.is_broken();
}

void world::plan_submissions() {
    loop_.after(dice_.around(submit_every_), [this] { submit_some(); });
}

void world::submit_some() {
    if (is_clear_) return;
    const auto most = backlog_max * places_.size() * workers_max_;
    for (auto left = 1 + dice_.below(burst_max); left > 0 && model_.open() < most; --left) {
        if (ledger_.counts().submitted < plan_.lives) submit_one();
    }
    plan_submissions();
}

void world::submit_one() {
    // Most come from one account, which fills the queue.
    const account_id by{dice_.chance(0.7) ? 1 : 2 + static_cast<std::int64_t>(dice_.below(3))};
    const auto job = model_.submit(database_.now(), by);
    auto* const daemon = any_daemon();
    if (daemon != nullptr) daemon->wake();
    if (daemon != nullptr && dice_.chance(waited_for_share)) daemon->wait_for_end(job);
    if (dice_.chance(deleted_share)) {
        loop_.after(dice_.around(3 * mix_.time_mean), [this, job] { remove(job); });
    }
}

/// Submitted by a client of any daemon; without one, by a daemon that died afterwards.
void world::remove(job_id job) {
    if (!model_.remove(database_.now(), job)) return;
    auto* const daemon = any_daemon();
    if (daemon != nullptr) daemon->cancel(job);
}

void world::plan_weather() {
    if (is_clear_) return;
    const auto next = drawn_weather(dice_);
    database_.set_weather(next);
    loop_.after(
        dice_.around(next.is_outage ? outage_mean : weather_mean), [this] { plan_weather(); });
}

void world::plan_trouble(std::size_t which) {
    loop_.after(dice_.around(trouble_mean), [this, which] { trouble(which); });
}

void world::trouble(std::size_t which) {
    if (is_clear_) return;
    plan_trouble(which);
    auto& target = places_[which];
    if (!target.daemon) return;
    switch (dice_.below(3)) {
        case 0: return kill(which);
        case 1: return stop(which);
        default: return cut_off(which);
    }
}

void world::stop(std::size_t which) {
    auto& daemon = *places_[which].daemon;
    if (daemon.is_stopping()) return;
    ++stops_;
    daemon.stop();
}

void world::cut_off(std::size_t which) {
    ++cuts_;
    places_[which].daemon->cut_off();
    // A later start of it was not disconnected.
    loop_.after(dice_.around(outage_mean), [this, which] {
        if (places_[which].daemon) places_[which].daemon->join_again();
    });
}

void world::start(std::size_t which) {
    auto& slot = places_[which];
    const simulated_daemon::settings settings{
        .who = {.daemon = static_cast<int>(which) + 1, .start = ++slot.starts},
        .workers = 1 + dice_.below(workers_max_),
        .lease = lease_,
        .lease_rate = dice_.between(1 - daemon_drift_max, 1 + daemon_drift_max)};
    slot.daemon = std::make_unique<simulated_daemon>(
        database_, mix_, settings, [this, which] { kill(which); });
}

void world::kill(std::size_t which) {
    ++kills_;
    places_[which].daemon.reset();
    loop_.after(dice_.around(repair_mean), [this, which] { start(which); });
}

void world::bury_stopped() {
    for (std::size_t which = 0; which < places_.size(); ++which) {
        auto& target = places_[which];
        if (!target.daemon || !target.daemon->has_stopped()) continue;
        target.daemon.reset();
        loop_.after(dice_.around(repair_mean), [this, which] { start(which); });
    }
}

void world::check() {
    for (const auto& one : places_) {
        if (one.daemon) one.daemon->check();
    }
}

void world::go_on() {
    loop_.step([this] { check(); });
    bury_stopped();
    forget_old();
}

simulated_daemon* world::any_daemon() {
    auto* const daemon = places_[dice_.below(places_.size())].daemon.get();
    return daemon == nullptr || daemon->is_stopping() ? nullptr : daemon;
}

void world::note_change(row_change why, const model_row* before, const model_row* after) {
    if (after != nullptr && !after->permit.empty() && before->permit.empty()) {
        check_permit(*before, *after);
    }
    ledger_.note_change(why, before, after, database_.now());
    if (after == nullptr) return;
    const bool has_ended =
        after->status == jobs::job_status::done || after->status == jobs::job_status::error;
    if (!has_ended) return;
    last_end_ = loop_.now();
    ended_.emplace_back(loop_.now(), after->id);
}

/// A permit goes to the account's first job; and of all accounts whose first job could have it,
/// none is passed over by another one twice in a row.
void world::check_permit(const model_row& before, const model_row& after) {
    ledger_.require(!model_.is_behind_own_account(after.id), after.id, "out of turn");
    auto heads = model_.heads();
    const bool is_from_line = before.status == jobs::job_status::pending;
    ledger_.require(is_from_line || heads.empty(), after.id, "a permit bypassed the line");
    std::erase_if(heads, [&](const auto& head) {
        return head.first == after.account.value || model_.is_behind_own_account(head.second);
    });
    std::erase_if(passed_over_, [&](const auto& one) { return !heads.contains(one.first.first); });
    for (const auto& [account, job] : heads) {
        // A daemon skips jobs that it still holds, because an answer to a report was lost.
        if (!is_clear_) continue;
        const auto passed = ++passed_over_[{account, after.account.value}];
        ledger_.require(passed <= 2, job, "passed over repeatedly by the same account");
    }
}

void world::forget_old() {
    while (!ended_.empty() && loop_.now() - ended_.front().first > memory) {
        model_.remove(database_.now(), ended_.front().second);
        ended_.pop_front();
    }
}

std::string world::summary() const {
    const auto& all = ledger_.counts();
    const seconds_f seconds = loop_.now() - simulated_loop::start;
    return fmt::format(
        "{} jobs: {} done, {} failed, {} deleted before; {} claims, {} attempts, {} rescues, "
        "{} taken again; {} kills, {} stops, {} cuts; {} of {} statements faulty; {:.0f} s of {} "
        "steps",
        all.submitted,
        all.done,
        all.failed,
        all.removed_open,
        all.claims,
        all.attempts,
        all.rescues,
        all.reclaimed,
        kills_,
        stops_,
        cuts_,
        database_.faults,
        database_.statements,
        seconds.count(),
        loop_.steps());
}

}  // namespace reelsd::simulation
