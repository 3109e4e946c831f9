#include <reelsd/work/engine/dispatcher.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

jobs::claimed_job numbered(std::int64_t id) {
    return {.id = {id}, .account = {1}, .url = "", .claim = 1, .attempt = 1, .created_at = {}};
}

// Goal: attempts run on other threads, and their ends are reported on the loop. Method: each end
// records its thread; the loop runs on this one.
TEST(ThreadedRunner, RunsOnThreadsAndReportsOnTheLoop) {
    asio::io_context loop;
    const auto busy = asio::make_work_guard(loop);
    const auto here = std::this_thread::get_id();
    const auto work = [here](const jobs::claimed_job& job, const std::stop_token&) {
        EXPECT_NE(std::this_thread::get_id(), here);
        return jobs::transition{jobs::completed{std::to_string(job.id.value)}};
    };
    threaded_attempt_runner runner{loop.get_executor(), 2, work};
    EXPECT_EQ(runner.capacity(), 2U);
    std::vector<std::string> results;
    const auto note = [&results, here](jobs::transition ended) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        results.push_back(std::get<jobs::completed>(ended).result);
    };
    runner.start(numbered(7), {}, note);
    runner.start(numbered(8), {}, note);
    while (results.size() < 2) loop.run_one();
    EXPECT_TRUE(
        results == (std::vector<std::string>{"7", "8"}) ||
        results == (std::vector<std::string>{"8", "7"}));
}

TEST(ThreadedRunner, PassesStopRequestsOn) {
    asio::io_context loop;
    const auto busy = asio::make_work_guard(loop);
    const auto work = [](const jobs::claimed_job&, const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any stopped;
        std::unique_lock lock{mutex};
        stopped.wait(lock, stop, [] { return false; });
        return jobs::transition{jobs::released{}};
    };
    threaded_attempt_runner runner{loop.get_executor(), 1, work};
    bool released = false;
    const auto note = [&released](const jobs::transition& ended) {
        released = std::holds_alternative<jobs::released>(ended);
    };
    std::stop_source stop;
    runner.start(numbered(7), stop.get_token(), note);
    stop.request_stop();
    loop.run_one();
    EXPECT_TRUE(released);
}

using number_runner = threaded_runner<int, int>;

// Goal: as much work runs concurrently as there are threads. Method: each waits for all others.
TEST(ThreadedRunner, UsesAllThreadsConcurrently) {
    constexpr int threads = 4;
    asio::io_context loop;
    std::latch all_begun{threads};
    const auto work = [&all_begun](int number, const std::stop_token&) {
        all_begun.arrive_and_wait();
        return number;
    };
    number_runner runner{loop.get_executor(), threads, work};
    for (int number = 0; number < threads; ++number) runner.start(number, {}, [](int) {});
    all_begun.wait();
}

TEST(ThreadedRunner, RunsEachWorkOnce) {
    constexpr int starts = 10'000;
    asio::io_context loop;
    const auto busy = asio::make_work_guard(loop);
    std::atomic<int> runs{0};
    const auto work = [&runs](int number, const std::stop_token&) {
        ++runs;
        return number;
    };
    number_runner runner{loop.get_executor(), 3, work};
    int ends = 0;
    for (int number = 0; number < starts; ++number) {
        runner.start(number, {}, [&ends](int) { ++ends; });
    }
    while (ends < starts) loop.run_one();
    EXPECT_EQ(runs.load(), starts);
}

TEST(ThreadedRunner, TheDestructorWaitsForRunningWork) {
    asio::io_context loop;
    std::atomic<bool> has_ended{false};
    std::latch begun{1};
    const auto work = [&](int number, const std::stop_token&) {
        begun.count_down();
        std::this_thread::yield();
        has_ended = true;
        return number;
    };
    {
        number_runner runner{loop.get_executor(), 1, work};
        runner.start(0, {}, [](int) {});
        begun.wait();
    }
    EXPECT_TRUE(has_ended.load());
}

}  // namespace
}  // namespace reelsd::work
