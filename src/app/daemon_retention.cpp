#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/retention/step_size.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

// How what has expired goes, and what leaving accounts have.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

/// Things are kept for days: a minute more makes no difference.
constexpr auto round_interval_max = 60s;
constexpr auto round_interval_min = 1s;
/// Somebody who leaves may be looking on.
constexpr auto erasure_interval = 2s;
/// What could not be removed is tried again after this, and is in nobody's way meanwhile.
constexpr auto failed_step_pause = 30s;
/// The statement's own limit, and the wait for a connection before it.
constexpr auto step_time_max = 6s;

/// What is kept for minutes is not to be kept for twice as long.
clock::duration round_interval(seconds_f kept) {
    const auto tenth = std::chrono::duration_cast<clock::duration>(kept / 10);
    return std::clamp<clock::duration>(tenth, round_interval_min, round_interval_max);
}

time_point wall_clock_now() {
    return std::chrono::time_point_cast<time_point::duration>(std::chrono::system_clock::now());
}

}  // namespace

/// Where a loop through what has expired stands.
struct daemon::expiry_round {
    retention::kind what;
    seconds_f kept;
    retention::step_size size;
    std::optional<retention::position> after;  ///< Nothing: the next step begins a round.
    std::int64_t removed = 0;                  ///< Since it was last logged.
    bool is_refused = false;                   ///< For the clocks; one warning until it is over.
    clock::duration pause{};                   ///< Until the next step.
};

/// Where the loop through the accounts that leave stands.
struct daemon::erasure_round {
    retention::step_size size;
    account_id last;  ///< It goes on behind this one.
    /// Accounts whose last step failed, and until when the others go on without them.
    std::map<account_id, clock::time_point> passed_over;
    clock::time_point stop_at;  ///< From then on work for leavers is stopped again.
    bool is_our_turn = true;
    clock::duration pause{};
};

asio::awaitable<bool> daemon::is_done(std::string_view what, asio::awaitable<void> step) {
    try {
        co_await std::move(step);
        co_return true;
    } catch (const db::failure& failure) {
        log_.warning("a step of upkeep failed", {{"step", what}, {"reason", failure.what()}});
    } catch (const boost::system::system_error& failure) {
        if (failure.code() == asio::error::operation_aborted) throw;
        log_.error("a step of upkeep broke off", {{"step", what}, {"reason", failure.what()}});
    } catch (const std::exception& failure) {
        // Our bug, or no memory: no reason to keep for ever what is to go.
        log_.error("a step of upkeep broke off", {{"step", what}, {"reason", failure.what()}});
    }
    co_return false;
}

asio::awaitable<void> daemon::expire(retention::kind what, seconds_f kept) {
    const auto name = fmt::format("expire {}", name_of(what));
    expiry_round round{.what = what, .kept = kept, .size = {}, .after = {}};
    for (;;) {
        round.pause = round_interval(kept);
        const auto began = clock::now();
        if (!co_await is_done(name, expire_some(round)))
            round.size.took(clock::now() - began, false);
        co_await async::pause(round.pause);
    }
}

asio::awaitable<void> daemon::expire_some(expiry_round& round) {
    retention::retention_store store{pool_};
    const auto what = name_of(round.what);
    const auto began = clock::now();
    const int rows = round.size.rows();
    const auto step = co_await store.expire(
        round.what,
        instance_,
        {.kept = round.kept, .now = wall_clock_now()},
        round.after,
        rows,
        deadline::after(step_time_max));
    const bool was_refused = std::exchange(round.is_refused, step && step->refused_gap);
    if (round.is_refused) {
        if (!was_refused) warn_of_clocks(what, *step->refused_gap);
        round.after.reset();
        co_return;
    }
    const bool is_full = step && step->looked == rows;
    round.size.took(clock::now() - began, is_full);
    round.after.reset();
    if (step) {
        round.removed += step->removed;
        parts_.figures->note_removed(what, step->removed);
    }
    if (is_full) {
        round.after = step->next;
        round.pause = round.size.pause();
        co_return;
    }
    round.size.begin_anew();
    if (step) parts_.figures->note_expiry_round(what);
    if (round.removed > 0) log_.info("expired", {{"what", what}, {"removed", round.removed}});
    round.removed = 0;
}

void daemon::warn_of_clocks(std::string_view what, seconds_f gap) const {
    log_.warning(
        "nothing expires while the database's clock and this one differ by more than a day",
        {{"what", what}, {"seconds", gap.count()}});
}

asio::awaitable<void> daemon::erase_leavers() {
    erasure_round round{.size = {}, .last = {}, .passed_over = {}, .stop_at = {}};
    for (;;) {
        round.pause = erasure_interval;
        static_cast<void>(co_await is_done("look for accounts to erase", erase_some(round)));
        co_await async::pause(round.pause);
    }
}

asio::awaitable<void> daemon::erase_some(erasure_round& round) {
    retention::retention_store store{pool_};
    const auto began = clock::now();
    std::erase_if(round.passed_over, [began](const auto& one) { return one.second <= began; });
    std::vector<account_id> passed_over;
    for (const auto& [account, until] : round.passed_over) passed_over.push_back(account);
    const auto leaver = co_await store.next_leaver(
        round.last, std::move(passed_over), deadline::after(step_time_max));
    if (!leaver) {
        round.size.begin_anew();
        co_return;
    }
    round.last = *leaver;
    round.is_our_turn = true;
    // A job that cannot be removed keeps neither other accounts nor the rest of its own.
    if (round.stop_at <= began &&
        !co_await is_done("stop work for accounts to erase", stop_leavers(round))) {
        round.stop_at = clock::now() + failed_step_pause;
    }
    if (!round.is_our_turn) co_return;
    const auto name = fmt::format("erase account {}", leaver->value);
    if (co_await is_done(name, erase_from(*leaver, round))) co_return;
    round.size.took(clock::now() - began, false);
    round.passed_over[*leaver] = clock::now() + failed_step_pause;
    round.pause = round.size.pause();
}

asio::awaitable<void> daemon::stop_leavers(erasure_round& round) {
    retention::retention_store store{pool_};
    const auto stopped =
        co_await store.stop_leavers(instance_, round.size.rows(), deadline::after(step_time_max));
    round.is_our_turn = stopped.has_value();
    parts_.figures->note_removed("erased_results", stopped.value_or(0));
}

asio::awaitable<void> daemon::erase_from(account_id leaver, erasure_round& round) {
    retention::retention_store store{pool_};
    const auto began = clock::now();
    const int rows = round.size.rows();
    const auto step = co_await store.erase(instance_, leaver, rows, deadline::after(step_time_max));
    round.size.took(clock::now() - began, step && step->is_full(rows));
    if (!step) co_return;
    round.pause = round.size.pause();
    parts_.figures->note_removed("erased_results", step->removed_jobs);
    parts_.figures->note_removed("erased_usage", step->removed_calls);
    if (!step->is_gone) co_return;
    parts_.figures->note_removed("erased_accounts", 1);
    log_.info("account erased", {{"account", leaver.value}});
}

void daemon::start_retention() {
    tasks_.spawn("erase leavers", erase_leavers());
    const auto expire_if_wanted = [this](const char* name, retention::kind what, seconds_f kept) {
        if (kept.count() > 0) tasks_.spawn(name, expire(what, kept));
    };
    expire_if_wanted("expire results", retention::kind::results, with_.results_kept);
    expire_if_wanted("expire usage", retention::kind::usage, with_.usage_kept);
}

}  // namespace reelsd::app
