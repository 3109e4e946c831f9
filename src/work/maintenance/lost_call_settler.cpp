#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <chrono>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Lost calls are few and an hour old: metrics and usage count them before they are settled, too.
constexpr auto settle_interval = 10min;
constexpr auto settle_pause = 1s;
constexpr int calls_max = 1000;  ///< A step: some 20 ms, with their totals.
constexpr auto settle_time_max = 6s;

class lost_call_settler final : public periodic_task {
public:
    lost_call_settler(const maintenance_context& in, usage::call_ledger_store store)
        : periodic_task{"settle lost model calls", in.loop, settle_interval, in.log},
          store_{store} {}

private:
    asio::awaitable<void> step() override {
        const auto settled =
            co_await store_.settle_lost(calls_max, deadline::after(settle_time_max));
        if (settled == calls_max) pause_for(settle_pause);
    }

    usage::call_ledger_store store_;
};

}  // namespace

std::unique_ptr<async::background_service> make_lost_call_settler(
    const maintenance_context& in, usage::call_ledger_store store) {
    return std::make_unique<lost_call_settler>(in, store);
}

}  // namespace reelsd::work
