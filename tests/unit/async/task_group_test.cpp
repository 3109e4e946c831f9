#include <reelsd/async/task_group.hpp>
#include <reelsd/async/with_deadline.hpp>

#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <stdexcept>
#include <string>
#include <vector>

// Goal: every task can be stopped and awaited; failures are reported, cancellation is not a
// failure. Method: tasks that end immediately, wait forever, or ignore the first request.
namespace reelsd::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::run_on;

struct TaskGroup : ::testing::Test {
    void on_failure(std::string_view task) { failures.emplace_back(task); }

    asio::io_context loop;
    std::vector<std::string> failures;
    std::vector<std::string> seen;
    task_group tasks{loop.get_executor(), [this](std::string_view task, const std::exception_ptr&) {
                         on_failure(task);
                     }};
};

asio::awaitable<void> wait_for_ever() {
    asio::steady_timer never{co_await asio::this_coro::executor, 1h};
    co_await never.async_wait(asio::deferred);
}

asio::awaitable<void> fail() {
    throw std::runtime_error{"broken"};
    co_return;
}

/// Ignores the first request to stop and ends at the second.
asio::awaitable<void> ignore_the_first_request(std::vector<std::string>& seen) {
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    try {
        co_await wait_for_ever();
    } catch (const boost::system::system_error&) {
        seen.emplace_back("insisted");
        throw;
    }
}

TEST_F(TaskGroup, WaitsForAll) {
    tasks.spawn("a", wait_for_ever());
    tasks.spawn("b", fail());
    EXPECT_FALSE(run_on(loop, tasks.wait_until_empty(deadline::after(0s))));
    EXPECT_TRUE(run_on(loop, tasks.stop(testing::far_deadline(), testing::far_deadline())));
    EXPECT_EQ(tasks.size(), 0U);
    EXPECT_EQ(failures, (std::vector<std::string>{"b"}));
}

TEST_F(TaskGroup, IsEmptyWithoutTasks) {
    EXPECT_TRUE(run_on(loop, tasks.wait_until_empty(testing::far_deadline())));
    EXPECT_TRUE(run_on(loop, tasks.stop(testing::far_deadline(), testing::far_deadline())));
}

TEST_F(TaskGroup, InsistsAfterTheGracefulDeadline) {
    tasks.spawn("stubborn", ignore_the_first_request(seen));
    tasks.spawn("willing", wait_for_ever());
    loop.poll();
    tasks.request_stop();
    loop.poll();
    EXPECT_EQ(tasks.size(), 1U);
    EXPECT_TRUE(seen.empty());

    EXPECT_TRUE(run_on(loop, tasks.stop(deadline::after(1ms), testing::far_deadline())));
    EXPECT_EQ(seen, (std::vector<std::string>{"insisted"}));
    EXPECT_TRUE(failures.empty()) << "cancellation is not a failure";
}

TEST_F(TaskGroup, TaskThatHasNotBegunNeverDoes) {
    tasks.spawn("late", fail());
    tasks.request_stop();
    tasks.spawn("too late", fail());
    loop.run();
    EXPECT_EQ(tasks.size(), 0U);
    EXPECT_TRUE(failures.empty());
}

}  // namespace
}  // namespace reelsd::async
