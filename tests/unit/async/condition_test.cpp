#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <memory>
#include <vector>

// Goal: waiters are woken once, in order, and none is lost or left behind. Method: one loop polled
// by hand; deadlines passed already or an hour ahead.
namespace reelsd::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::run_on;

void no_failure(std::string_view task, const std::exception_ptr& /*why*/) {
    ADD_FAILURE() << "task failed: " << task;
}

struct Condition : ::testing::Test {
    asio::awaitable<void> wait(int name, deadline by) {
        const bool notified = co_await changed.wait(by);
        (notified ? woken : expired).push_back(name);
    }

    void start(int name, deadline by = deadline::after(1h)) {
        tasks.spawn("waiter", wait(name, by));
        loop.poll();
        loop.restart();
    }

    ~Condition() override {
        changed.notify_all();
        loop.run();
    }

    asio::io_context loop;
    condition changed;
    task_group tasks{loop.get_executor(), no_failure};
    std::vector<int> woken;
    std::vector<int> expired;
};

TEST_F(Condition, WakesOneAtATimeInOrder) {
    for (const int name : {1, 2, 3}) start(name);
    EXPECT_EQ(changed.waiters(), 3U);

    changed.notify_one();
    EXPECT_TRUE(woken.empty()) << "the waiter runs later, not inside the call";
    loop.poll();
    EXPECT_EQ(woken, (std::vector{1}));

    changed.notify_all();
    loop.restart();
    loop.poll();
    EXPECT_EQ(woken, (std::vector{1, 2, 3}));
    EXPECT_EQ(changed.waiters(), 0U);
}

TEST_F(Condition, TwoNotificationsWakeTwo) {
    for (const int name : {1, 2, 3}) start(name);
    changed.notify_one();
    changed.notify_one();
    loop.poll();
    EXPECT_EQ(woken, (std::vector{1, 2}));
}

TEST_F(Condition, NotificationWithoutWaiterIsNotKept) {
    changed.notify_one();
    changed.notify_all();
    start(1);
    EXPECT_TRUE(woken.empty());
}

TEST_F(Condition, ADeadlineReturnsFalse) {
    EXPECT_FALSE(run_on(loop, changed.wait(deadline::after(0s))));
    EXPECT_EQ(changed.waiters(), 0U);
}

TEST_F(Condition, NotificationWinsATie) {
    // The deadline has passed, but the waiter has not run since.
    tasks.spawn("waiter", wait(1, deadline::after(0s)));
    loop.run_one();
    ASSERT_EQ(changed.waiters(), 1U);
    changed.notify_one();
    loop.run();
    EXPECT_EQ(woken, (std::vector{1}));
}

TEST_F(Condition, CancelledWaiterLeaves) {
    start(1);
    start(2);
    tasks.request_stop();
    loop.run();
    EXPECT_EQ(changed.waiters(), 0U);
    EXPECT_TRUE(woken.empty());
    EXPECT_TRUE(expired.empty());
    EXPECT_EQ(tasks.size(), 0U);
}

TEST(ConditionTeardown, WaiterMayOutliveTheConditionWhenTheLoopIsTornDown) {
    asio::io_context loop;
    auto changed = std::make_unique<condition>();
    const auto by = deadline::after(1h);
    asio::co_spawn(loop, changed->wait(by), [](std::exception_ptr, bool) { FAIL(); });
    loop.poll();
    changed.reset();
}

}  // namespace
}  // namespace reelsd::async
