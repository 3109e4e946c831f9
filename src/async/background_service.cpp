#include <reelsd/async/background_service.hpp>

#include <chrono>

namespace reelsd::async {

namespace asio = boost::asio;

namespace {

/// Services observe the deadline themselves. The group waits this much longer for a late one.
constexpr std::chrono::milliseconds lateness_max{500};

class function_task final : public background_task {
public:
    function_task(
        std::string name, const asio::any_io_executor& loop, log::logger log,
        std::function<awaitable<void>()> run)
        : background_task{std::move(name), loop, std::move(log)}, run_{std::move(run)} {}

private:
    awaitable<void> run() override { return run_(); }

    std::function<awaitable<void>()> run_;
};

}  // namespace

std::unique_ptr<background_service> make_background_task(
    std::string name, const asio::any_io_executor& loop, log::logger log,
    std::function<awaitable<void>()> run) {
    return std::make_unique<function_task>(std::move(name), loop, std::move(log), std::move(run));
}

void service_group::start() {
    for (auto* const service : services_) service->start();
}

awaitable<bool> service_group::stop(deadline by) {
    for (auto next = services_.rbegin(); next != services_.rend(); ++next) {
        stops_.spawn((*next)->name(), stop_one(**next, by));
    }
    static_cast<void>(co_await stops_.wait_until_empty(deadline::at(by.when() + lateness_max)));
    co_return stopped_ == services_.size();
}

awaitable<void> service_group::stop_one(background_service& service, deadline by) {
    const bool is_stopped = co_await service.stop(by);
    if (is_stopped) {
        ++stopped_;
    } else {
        log_.warning("background service did not stop in time", {{"service", service.name()}});
    }
}

}  // namespace reelsd::async
