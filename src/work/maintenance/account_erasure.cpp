#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Short, because the account's owner may be waiting.
constexpr auto erasure_interval = 2s;
/// Pause before a failed removal is retried. Other accounts are not delayed.
constexpr auto failed_step_pause = 30s;
/// The statement's own limit, and the wait for a connection before it.
constexpr auto erase_time_max = 6s;

class account_erasure final : public periodic_task {
public:
    account_erasure(
        const maintenance_context& in, retention::retention_store store, retention_options options)
        : periodic_task{"look for accounts to erase", in.loop, erasure_interval, in.log},
          store_{store},
          options_{std::move(options)} {}

private:
    asio::awaitable<void> step() override {
        const auto began = monotonic_clock::now();
        std::erase_if(skipped_, [began](const auto& one) { return one.second <= began; });
        std::vector<account_id> skipped;
        for (const auto& [account, until] : skipped_) skipped.push_back(account);
        const auto account =
            co_await store_.next_leaver(last_, std::move(skipped), deadline::after(erase_time_max));
        if (!account) {
            size_.reset();
            co_return;
        }
        last_ = *account;
        is_our_turn_ = true;
        // A job that cannot be removed delays neither other accounts nor the rest of its own.
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

    asio::awaitable<void> stop_jobs() {
        const auto stopped = co_await store_.stop_accounts_pending_deletion(
            options_.daemon, size_.rows(), deadline::after(erase_time_max));
        is_our_turn_ = stopped.has_value();
        options_.on_removed("erased_results", stopped.value_or(0));
    }

    asio::awaitable<void> erase_some(account_id account) {
        const auto began = monotonic_clock::now();
        const int rows = size_.rows();
        const auto erased =
            co_await store_.erase(options_.daemon, account, rows, deadline::after(erase_time_max));
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
    monotonic_clock::time_point stop_jobs_at_;  ///< Not before this, after a failure.
    bool is_our_turn_ = true;
};

}  // namespace

std::unique_ptr<async::background_service> make_account_erasure(
    const maintenance_context& in, retention::retention_store store, retention_options options) {
    return std::make_unique<account_erasure>(in, store, std::move(options));
}

}  // namespace reelsd::work
