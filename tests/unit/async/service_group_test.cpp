#include <reelsd/async/background_service.hpp>
#include <reelsd/async/monotonic_timer.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <string>
#include <vector>

// Goal: services start in order, and their stops begin in reverse order and overlap. A service that
// does not stop is reported and delays no other. Method: services that record their calls.
namespace reelsd::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::run_on;

using events = std::vector<std::string>;

class noted_service final : public background_service {
public:
    noted_service(std::string name, events& seen) : name_{std::move(name)}, seen_{seen} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    void start() override { seen_.push_back("start " + name_); }
    asio::awaitable<bool> stop(deadline by) override {
        seen_.push_back("stop " + name_);
        co_await pause(1ms);
        seen_.push_back("stopped " + name_);
        co_return !by.passed();
    }

private:
    std::string name_;
    events& seen_;
};

class endless_task final : public background_task {
public:
    explicit endless_task(asio::io_context& loop)
        : background_task{"endless", loop.get_executor(), log::logger::silent()} {}

    int begun = 0;
    bool is_stubborn = false;

private:
    asio::awaitable<void> run() override {
        ++begun;
        if (is_stubborn) {
            co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        }
        co_await pause(is_stubborn ? monotonic_clock::duration{20ms} : 1h);
    }
};

struct ServiceGroup : ::testing::Test {
    asio::io_context loop;
    events seen;
    noted_service first{"a", seen};
    noted_service second{"b", seen};
    service_group group{loop.get_executor(), log::logger::silent()};
};

TEST_F(ServiceGroup, StartsInOrderAndBeginsStopsInReverse) {
    group.add(first);
    group.add(second);
    group.start();
    EXPECT_TRUE(run_on(loop, group.stop(deadline::after(1h))));
    EXPECT_EQ(seen, (events{"start a", "start b", "stop b", "stop a", "stopped b", "stopped a"}));
}

TEST_F(ServiceGroup, OneServiceThatIsLateFailsTheStop) {
    group.add(first);
    EXPECT_FALSE(run_on(loop, group.stop(deadline::after(0s))));
}

TEST_F(ServiceGroup, StopsWithoutServices) {
    group.start();
    EXPECT_TRUE(run_on(loop, group.stop(deadline::after(0s))));
}

TEST_F(ServiceGroup, ATaskIsCancelled) {
    endless_task task{loop};
    group.add(task);
    group.start();
    loop.poll();
    EXPECT_EQ(task.begun, 1);
    EXPECT_TRUE(run_on(loop, group.stop(deadline::after(1h))));
}

TEST_F(ServiceGroup, ATaskThatIgnoresItsCancellationIsNotWaitedFor) {
    endless_task task{loop};
    task.is_stubborn = true;
    group.add(task);
    group.start();
    loop.poll();
    EXPECT_FALSE(run_on(loop, task.stop(deadline::after(1ms))));
    loop.restart();
    loop.run();
}

}  // namespace
}  // namespace reelsd::async
