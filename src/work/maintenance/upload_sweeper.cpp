#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <chrono>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// An upload that is not renewed for 10 s is removed; one that was cut off is gone within 20 s.
constexpr auto sweep_interval = 3s;
constexpr auto sweep_time_max = 5s;

class upload_sweeper final : public periodic_task {
public:
    upload_sweeper(const maintenance_context& in, jobs::upload_store& store)
        : periodic_task{"sweep uploads", in.loop, sweep_interval, in.log}, store_{store} {}

private:
    asio::awaitable<void> step() override {
        co_await store_.sweep(deadline::after(sweep_time_max));
    }

    jobs::upload_store& store_;
};

}  // namespace

std::unique_ptr<async::background_service> make_upload_sweeper(
    const maintenance_context& in, jobs::upload_store& store) {
    return std::make_unique<upload_sweeper>(in, store);
}

}  // namespace reelsd::work
