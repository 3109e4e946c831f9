#include <reelsd/async/offload_pool.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <support/loop.hpp>

#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// Goal: work runs on other threads and its result arrives on the loop; the queue is bounded; late
// work is not begun. Method: a promise of the test keeps the only thread busy for as long as
// needed.
namespace reelsd::async {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::run_on;

TEST(OffloadPool, RunsOnAnotherThreadAndReturnsOnTheLoop) {
    asio::io_context loop;
    offload_pool pool{1, 1};
    const auto here = std::this_thread::get_id();
    const auto there =
        run_on(loop, pool.run(testing::far_deadline(), [] { return std::this_thread::get_id(); }));
    ASSERT_TRUE(there);
    EXPECT_NE(*there, here);
    EXPECT_EQ(pool.pending(), 0U);
}

TEST(OffloadPool, ThrowsWhatTheWorkThrows) {
    asio::io_context loop;
    offload_pool pool{1, 1};
    const auto work = []() -> int { throw std::runtime_error{"broken"}; };
    EXPECT_THROW((void)run_on(loop, pool.run(testing::far_deadline(), work)), std::runtime_error);
    EXPECT_EQ(pool.pending(), 0U);
}

TEST(OffloadPool, DoesNotBeginWorkAfterItsDeadline) {
    asio::io_context loop;
    offload_pool pool{1, 1};
    bool begun = false;
    const auto work = [&begun] { return begun = true; };
    const auto late = run_on(loop, pool.run(deadline::after(0s), work));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), errc::timed_out);
    EXPECT_FALSE(begun);
}

TEST(OffloadPool, EndsAWaitForABusyThreadAtItsDeadline) {
    asio::io_context loop;
    offload_pool pool{1, 1};
    std::promise<void> release;
    const auto busy = [opened = release.get_future().share()] { opened.wait(); };
    std::vector<std::string> ended;
    const auto note = [&](std::string name) {
        return [&, name = std::move(name)](std::exception_ptr, const result<void>& got) {
            ended.push_back(name + (got ? " done" : " late"));
            // The thread is busy until the other call has ended.
            if (!got) release.set_value();
        };
    };
    asio::co_spawn(loop, pool.run(testing::far_deadline(), busy), note("first"));
    loop.poll();
    bool begun = false;
    const auto work = [&begun] { begun = true; };
    asio::co_spawn(loop, pool.run(deadline::after(1ms), work), note("second"));
    loop.run();
    EXPECT_EQ(ended, (std::vector<std::string>{"second late", "first done"}));
    EXPECT_FALSE(begun);
    EXPECT_EQ(pool.pending(), 0U);
}

TEST(OffloadPool, RefusesWhenTheQueueIsFull) {
    asio::io_context loop;
    offload_pool pool{1, 2};
    std::promise<void> release;
    const auto opened = release.get_future().share();
    std::vector<std::string> ended;
    const auto work = [opened] {
        opened.wait();
        return 1;
    };
    const auto note = [&ended](std::exception_ptr, const result<int>& got) {
        ended.emplace_back(got ? "done" : name_of(got.error().code()));
    };
    for (int call = 0; call < 4; ++call)
        asio::co_spawn(loop, pool.run(testing::far_deadline(), work), note);
    loop.poll();
    EXPECT_EQ(ended, (std::vector<std::string>{"limit_reached"}));
    EXPECT_EQ(pool.pending(), 3U);

    release.set_value();
    loop.run();
    EXPECT_EQ(ended, (std::vector<std::string>{"limit_reached", "done", "done", "done"}));
}

}  // namespace
}  // namespace reelsd::async
