#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <chrono>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Deliveries are kept for days: a minute more makes no difference.
constexpr auto clean_interval = 60s;
/// After a full step, for other statements.
constexpr auto clean_pause = 200ms;
constexpr auto clean_time_max = 5s;
/// Rows per statement, which holds their locks for a few milliseconds.
constexpr int rows_max = 500;

class delivery_log_cleaner final : public periodic_task {
public:
    delivery_log_cleaner(const maintenance_context& in, webhooks::delivery_store store)
        : periodic_task{"clean the delivery log", in.loop, clean_interval, in.log}, store_{store} {}

private:
    asio::awaitable<void> step() override {
        const auto removed = co_await store_.tidy(rows_max, deadline::after(clean_time_max));
        if (removed == rows_max) pause_for(clean_pause);
    }

    webhooks::delivery_store store_;
};

}  // namespace

std::unique_ptr<async::background_service> make_delivery_log_cleaner(
    const maintenance_context& in, webhooks::delivery_store store) {
    return std::make_unique<delivery_log_cleaner>(in, store);
}

}  // namespace reelsd::work
