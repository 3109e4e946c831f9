#include "daemon.hpp"
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/retention/step_size.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

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
/// The statement's own limit, and the wait for a connection before it.
constexpr auto step_time_max = 6s;

/// What is kept for minutes is not to be kept for twice as long.
clock::duration round_interval(seconds_f kept) {
    const auto tenth = std::chrono::duration_cast<clock::duration>(kept / 10);
    return std::clamp<clock::duration>(tenth, round_interval_min, round_interval_max);
}

}  // namespace

asio::awaitable<void> daemon::expire(retention::kind what, seconds_f kept) {
    asio::steady_timer timer{co_await asio::this_coro::executor};
    retention::retention_store store{pool_};
    retention::step_size size;
    std::optional<retention::position> after;
    std::int64_t removed = 0;
    for (;;) {
        auto pause = round_interval(kept);
        const auto began = clock::now();
        try {
            const int rows = size.rows();
            const auto step = co_await store.expire(
                what, instance_, kept, after, rows, deadline::after(step_time_max));
            size.took(clock::now() - began);
            after.reset();
            if (step) {
                removed += step->removed;
                parts_.figures->note_removed(name_of(what), step->removed);
                if (step->looked == rows) {
                    after = step->next;
                    pause = size.pause();
                } else {
                    parts_.figures->note_expiry_round(name_of(what));
                }
            }
            if (!after && removed > 0) {
                log_.info("expired", {{"what", name_of(what)}, {"removed", removed}});
                removed = 0;
            }
        } catch (const db::failure& failure) {
            size.took(clock::now() - began);
            log_.warning(
                "a step through what has expired failed",
                {{"what", name_of(what)}, {"reason", failure.what()}});
        }
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

asio::awaitable<void> daemon::erase_leavers() {
    asio::steady_timer timer{co_await asio::this_coro::executor};
    retention::retention_store store{pool_};
    retention::step_size size;
    for (;;) {
        clock::duration pause = erasure_interval;
        const auto began = clock::now();
        try {
            const auto step =
                co_await store.erase(instance_, size.rows(), deadline::after(step_time_max));
            size.took(clock::now() - began);
            if (step && step->account) {
                pause = size.pause();
                parts_.figures->note_removed("erased_results", step->removed_jobs);
                parts_.figures->note_removed("erased_usage", step->removed_calls);
                if (step->is_gone) {
                    parts_.figures->note_removed("erased_accounts", 1);
                    log_.info("account erased", {{"account", step->account->value}});
                }
            }
        } catch (const db::failure& failure) {
            size.took(clock::now() - began);
            log_.warning("a step of erasing an account failed", {{"reason", failure.what()}});
        }
        timer.expires_after(pause);
        co_await timer.async_wait(asio::use_awaitable);
    }
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
