#include <reelsd/async/background_task.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>

#include <chrono>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

/// For a thread to become free.
constexpr std::chrono::seconds thread_wait_max{60};

class provider_upload_sweeper final : public async::background_task {
public:
    provider_upload_sweeper(
        const maintenance_context& in, async::offload_pool& threads,
        std::function<void(const std::stop_token&)> sweep)
        : background_task{"sweep provider uploads", in.loop, in.log},
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
        const auto swept = co_await threads_.run(deadline::after(thread_wait_max), sweep);
        if (swept) co_return;
        log().warning(
            "deleting leftover uploads at the model provider failed",
            {{"reason", swept.error().to_string()}});
    }

    async::offload_pool& threads_;
    std::function<void(const std::stop_token&)> sweep_;
    std::stop_source stop_;
};

}  // namespace

std::unique_ptr<async::background_service> make_provider_upload_sweeper(
    const maintenance_context& in, async::offload_pool& threads,
    std::function<void(const std::stop_token&)> sweep) {
    return std::make_unique<provider_upload_sweeper>(in, threads, std::move(sweep));
}

}  // namespace reelsd::work
