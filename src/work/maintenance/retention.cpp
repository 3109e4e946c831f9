#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

using namespace std::chrono_literals;

/// Rows are kept for days: a minute more makes no difference.
constexpr auto round_interval_max = 60s;
constexpr auto round_interval_min = 1s;
/// The statement's own limit, and the wait for a connection before it.
constexpr auto statement_time_max = 6s;

/// Short, because the account's owner may be waiting.
constexpr auto erasure_interval = 2s;
/// Pause before a failed removal is retried. Other accounts are not delayed.
constexpr auto failed_step_pause = 30s;

/// A tenth of the retention period, so that no row is kept much longer than its period.
periodic_task::duration round_interval(seconds_f kept) {
    const auto tenth = std::chrono::duration_cast<periodic_task::duration>(kept / 10);
    return std::clamp<periodic_task::duration>(tenth, round_interval_min, round_interval_max);
}

std::string step_name(retention::kind what) {
    return fmt::format("expire {}", name_of(what));
}

class retention_sweeper final : public periodic_task {
public:
    retention_sweeper(
        const maintenance_context& context, retention::retention_store store,
        retention_options options, retention::kind what, seconds_f kept)
        : periodic_task{step_name(what), context.loop, round_interval(kept), context.log},
          store_{store},
          options_{std::move(options)},
          what_{what},
          kept_{kept} {}

private:
    awaitable<void> step() override {
        began_ = monotonic_clock::now();
        const int rows = size_.rows();
        const auto after = std::exchange(after_, std::nullopt);
        const auto expired = co_await store_.expire(
            what_,
            options_.daemon,
            {.kept = kept_, .now = wall_clock_now()},
            after,
            rows,
            deadline::after(statement_time_max));
        note(expired, rows);
    }

    void note(const std::optional<retention::expiry_step>& expired, int rows) {
        const bool was_refused = std::exchange(is_refused_, expired && expired->refused_gap);
        if (is_refused_) {
            if (!was_refused) warn_of_clocks(*expired->refused_gap);
            return;
        }
        const bool is_full = expired && expired->looked == rows;
        size_.took(monotonic_clock::now() - began_, is_full);
        if (expired) {
            removed_ += expired->removed;
            options_.on_removed(name_of(what_), expired->removed);
        }
        if (is_full) {
            after_ = expired->next;
            pause_for(size_.pause());
            return;
        }
        size_.reset();
        if (expired) options_.on_round(name_of(what_));
        if (removed_ > 0)
            log().info("expired rows removed", {{"what", name_of(what_)}, {"removed", removed_}});
        removed_ = 0;
    }

    void on_failure() override { size_.took(monotonic_clock::now() - began_, false); }

    void warn_of_clocks(seconds_f gap) const {
        log().warning(
            "expiry paused: the clocks of the database and of this daemon differ by more than a "
            "day",
            {{"what", name_of(what_)}, {"seconds", gap.count()}});
    }

    retention::retention_store store_;
    retention_options options_;
    retention::kind what_;
    seconds_f kept_;
    retention::step_size size_;
    monotonic_clock::time_point began_;
    std::optional<retention::position> after_;  ///< Empty: the next step begins a round.
    std::int64_t removed_ = 0;                  ///< Rows removed since the last log line.
    bool is_refused_ = false;  ///< The clocks differ; logged once until they agree.
};

class account_erasure final : public periodic_task {
public:
    account_erasure(
        const maintenance_context& context, retention::retention_store store,
        retention_options options)
        : periodic_task{"look for accounts to erase", context.loop, erasure_interval, context.log},
          store_{store},
          options_{std::move(options)} {}

private:
    awaitable<void> step() override {
        const auto began = monotonic_clock::now();
        std::erase_if(skipped_, [began](const auto& entry) { return entry.second <= began; });
        std::vector<account_id> skipped;
        for (const auto& [account, until] : skipped_) skipped.push_back(account);
        const auto account = co_await store_.next_leaving(
            last_, std::move(skipped), deadline::after(statement_time_max));
        if (!account) {
            size_.reset();
            co_return;
        }
        last_ = *account;
        is_our_turn_ = true;
        // A job that cannot be removed delays neither other accounts nor other jobs of its account.
        if (stop_jobs_at_ <= began &&
            !co_await succeeds("stop work for accounts to erase", stop_jobs())) {
            stop_jobs_at_ = monotonic_clock::now() + failed_step_pause;
        }
        if (!is_our_turn_) co_return;
        const auto name = fmt::format("erase account {}", account->value);
        if (co_await succeeds(name, erase_some(*account))) co_return;
        size_.took(monotonic_clock::now() - began, false);
        skipped_[*account] = monotonic_clock::now() + failed_step_pause;
        pause_for(size_.pause());
    }

    awaitable<void> stop_jobs() {
        const auto stopped = co_await store_.stop_accounts_pending_deletion(
            options_.daemon, size_.rows(), deadline::after(statement_time_max));
        is_our_turn_ = stopped.has_value();
        options_.on_removed("erased_results", stopped.value_or(0));
    }

    awaitable<void> erase_some(account_id account) {
        const auto began = monotonic_clock::now();
        const int rows = size_.rows();
        const auto erased = co_await store_.erase(
            options_.daemon, account, rows, deadline::after(statement_time_max));
        size_.took(monotonic_clock::now() - began, erased && erased->is_full(rows));
        if (!erased) co_return;
        pause_for(size_.pause());
        options_.on_removed("erased_results", erased->removed_jobs);
        options_.on_removed("erased_usage", erased->removed_calls);
        if (!erased->is_gone) co_return;
        options_.on_removed("erased_accounts", 1);
        log().info("account erased", {{"account", account.value}});
    }

    retention::retention_store store_;
    retention_options options_;
    retention::step_size size_;
    account_id last_;  ///< The next step takes the account after this one.
    /// Accounts whose last step failed, and until when they are skipped.
    std::map<account_id, monotonic_clock::time_point> skipped_;
    monotonic_clock::time_point stop_jobs_at_;  ///< Earliest retry after a failure.
    bool is_our_turn_ = true;
};

}  // namespace

std::unique_ptr<async::background_service> make_retention_sweeper(
    const maintenance_context& context, retention::retention_store store, retention_options options,
    retention::kind what, seconds_f kept) {
    return std::make_unique<retention_sweeper>(context, store, std::move(options), what, kept);
}

std::unique_ptr<async::background_service> make_account_erasure(
    const maintenance_context& context, retention::retention_store store,
    retention_options options) {
    return std::make_unique<account_erasure>(context, store, std::move(options));
}

}  // namespace reelsd::work
