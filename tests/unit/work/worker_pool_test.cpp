#include <reelsd/work/engine/worker_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

namespace reelsd::work {
namespace {

// Goal: as many tasks run at once as there are threads. Method: each waits for all others.
TEST(WorkerPool, RunsOneTaskAThreadAtOnce) {
    constexpr int threads = 4;
    std::latch all_here{threads};
    std::latch all_done{threads};
    worker_pool pool{threads};
    for (int i = 0; i < threads; ++i) {
        pool.post([&] {
            all_here.arrive_and_wait();
            all_done.count_down();
        });
    }
    all_done.wait();
    EXPECT_EQ(pool.size(), 4U);
}

TEST(WorkerPool, RunsEveryTaskOnce) {
    constexpr int tasks = 10'000;
    std::atomic<int> ran{0};
    std::latch done{tasks};
    worker_pool pool{3};
    for (int i = 0; i < tasks; ++i) {
        pool.post([&] {
            ran.fetch_add(1);
            done.count_down();
        });
    }
    done.wait();
    EXPECT_EQ(ran.load(), tasks);
}

TEST(WorkerPool, WaitsForARunningTaskWhenItGoes) {
    std::atomic<bool> ended{false};
    std::latch begun{1};
    {
        worker_pool pool{1};
        pool.post([&] {
            begun.count_down();
            std::this_thread::yield();
            ended = true;
        });
        begun.wait();
    }
    EXPECT_TRUE(ended.load());
}

}  // namespace
}  // namespace reelsd::work
