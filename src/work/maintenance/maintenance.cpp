#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <chrono>
#include <utility>

// Services that consist of one call.
namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Deliveries are kept for days: a minute more makes no difference.
constexpr auto clean_interval = 60s;
/// Pause after a full step, to leave time for other statements.
constexpr auto clean_pause = 200ms;
constexpr auto clean_time_max = 5s;
/// Rows per statement, which holds their locks for a few milliseconds.
constexpr int rows_max = 500;

/// Lost calls are few and an hour old. Metrics and usage include them before they are settled.
constexpr auto settle_interval = 10min;
constexpr auto settle_pause = 1s;
constexpr int calls_max = 1000;  ///< A step takes about 20 ms.
constexpr auto settle_time_max = 6s;

/// An upload that is not renewed for 10 s is removed: an interrupted one is gone within 20 s.
constexpr auto sweep_interval = 3s;
constexpr auto sweep_time_max = 5s;

/// For a thread to become free.
constexpr auto thread_wait_max = 60s;

enum class progress : std::uint8_t { complete, more_left };

/// Repeats a batch: after `interval`, or after `pause` while more is left.
class batch_task final : public periodic_task {
public:
    using batch_function = std::function<asio::awaitable<progress>()>;

    batch_task(
        std::string name, const maintenance_context& context, duration interval, duration pause,
        batch_function batch)
        : periodic_task{std::move(name), context.loop, interval, context.log},
          pause_{pause},
          batch_{std::move(batch)} {}

private:
    asio::awaitable<void> step() override {
        const auto reached = co_await batch_();
        if (reached == progress::more_left) pause_for(pause_);
    }

    duration pause_;
    batch_function batch_;
};

asio::awaitable<progress> clean_delivery_log(webhooks::delivery_store store) {
    const auto removed = co_await store.tidy(rows_max, deadline::after(clean_time_max));
    co_return removed == rows_max ? progress::more_left : progress::complete;
}

asio::awaitable<progress> settle_lost_calls(usage::call_ledger_store store) {
    const auto settled = co_await store.settle_lost(calls_max, deadline::after(settle_time_max));
    co_return settled == calls_max ? progress::more_left : progress::complete;
}

asio::awaitable<progress> sweep_uploads(jobs::upload_store& store) {
    co_await store.sweep(deadline::after(sweep_time_max));
    co_return progress::complete;
}

class provider_upload_sweeper final : public async::background_task {
public:
    provider_upload_sweeper(
        const maintenance_context& context, async::offload_pool& threads,
        std::function<void(const std::stop_token&)> sweep)
        : background_task{"sweep provider uploads", context.loop, context.log},
          threads_{threads},
          sweep_{std::move(sweep)} {}

    asio::awaitable<bool> stop(deadline by) override {
        stop_.request_stop();
        return background_task::stop(by);
    }

private:
    asio::awaitable<void> run() override {
        const auto sweep = [this] {
            sweep_(stop_.get_token());
            return true;
        };
        const auto removed = co_await threads_.run(deadline::after(thread_wait_max), sweep);
        if (removed) co_return;
        log().warning(
            "deleting leftover uploads at the model provider failed",
            {{"reason", removed.error().to_string()}});
    }

    async::offload_pool& threads_;
    std::function<void(const std::stop_token&)> sweep_;
    std::stop_source stop_;
};

}  // namespace

std::unique_ptr<async::background_service> make_delivery_log_cleaner(
    const maintenance_context& context, webhooks::delivery_store store) {
    return std::make_unique<batch_task>(
        "clean the delivery log", context, clean_interval, clean_pause, [store] {
            return clean_delivery_log(store);
        });
}

std::unique_ptr<async::background_service> make_upload_sweeper(
    const maintenance_context& context, jobs::upload_store& store) {
    return std::make_unique<batch_task>(
        "sweep uploads", context, sweep_interval, sweep_interval, [&store] {
            return sweep_uploads(store);
        });
}

std::unique_ptr<async::background_service> make_lost_call_settler(
    const maintenance_context& context, usage::call_ledger_store store) {
    return std::make_unique<batch_task>(
        "settle lost model calls", context, settle_interval, settle_pause, [store] {
            return settle_lost_calls(store);
        });
}

std::unique_ptr<async::background_service> make_provider_upload_sweeper(
    const maintenance_context& context, async::offload_pool& threads,
    std::function<void(const std::stop_token&)> sweep) {
    return std::make_unique<provider_upload_sweeper>(context, threads, std::move(sweep));
}

}  // namespace reelsd::work
