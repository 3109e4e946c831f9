#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;

boost::asio::awaitable<void> wait_into(
    change_poller& poller, job_id job, deadline by, std::vector<std::string>& log) {
    change_poller::waiter waiter{poller, job};
    const bool is_announced = co_await waiter.wait(by);
    log.push_back(std::to_string(job.value) + (is_announced ? " announced" : " timed out"));
}

void rethrow(std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
}

/// Announcements need no database: the pool is never started.
struct ChangePoller : ::testing::Test {
    void start_waiting(job_id job, deadline by) {
        boost::asio::co_spawn(loop_, wait_into(poller_, job, by, log_), rethrow);
    }

    boost::asio::io_context loop_;
    db::pool pool_{loop_.get_executor(), {}, log::logger::silent()};
    change_poller poller_{change_store{pool_}, log::logger::silent()};
    std::vector<std::string> log_;
};

TEST_F(ChangePoller, AnnouncesOnlyToTheWaitersOfOneJob) {
    for (const std::int64_t job : {1, 1, 2}) start_waiting(job_id{job}, deadline::after(1h));
    boost::asio::post(loop_, [this] { poller_.announce(job_id{1}); });
    while (loop_.poll() > 0) {
    }
    EXPECT_THAT(log_, ::testing::ElementsAre("1 announced", "1 announced"));
    EXPECT_EQ(poller_.waiter_count(), 1U);

    poller_.announce(job_id{2});
    loop_.run();
    EXPECT_EQ(log_.back(), "2 announced");
    EXPECT_EQ(poller_.waiter_count(), 0U);
}

TEST_F(ChangePoller, AnAnnouncementBetweenReadAndWaitIsNotMissed) {
    change_poller::waiter waiter{poller_, job_id{5}};
    poller_.announce(job_id{5});
    std::optional<bool> announced;
    boost::asio::co_spawn(
        loop_,
        waiter.wait(deadline::after(1h)),
        [&announced](std::exception_ptr failure, bool is_announced) {
            rethrow(failure);
            announced = is_announced;
        });
    loop_.run();
    EXPECT_EQ(announced, true);
}

TEST_F(ChangePoller, AWaitEndsAtTheDeadline) {
    start_waiting(job_id{3}, deadline::after(0s));
    loop_.run();
    EXPECT_THAT(log_, ::testing::ElementsAre("3 timed out"));
}

// An account that has too many changes in each poll.
TEST(ResetSchedule, ResetsABusyAccountAtOnceAndThenOnceInAnInterval) {
    const deadline::clock::time_point start{1h};
    const account_id busy{1};
    const account_id other{2};
    reset_schedule resets;
    std::vector<std::chrono::milliseconds> moments;
    for (auto passed = 0ms; passed < 12s; passed += 500ms) {
        resets.request(busy);
        for (const auto account : resets.take_due(start + passed)) {
            EXPECT_EQ(account, busy);
            moments.push_back(passed);
        }
        EXPECT_FALSE(resets.is_requested(other));
    }
    EXPECT_EQ(moments, (std::vector<std::chrono::milliseconds>{0ms, 5s, 10s}));
}

TEST(ResetSchedule, KeepsARequestUntilItsTimeComes) {
    const deadline::clock::time_point start{1h};
    const account_id busy{1};
    const std::vector<account_id> the_busy_one{busy};
    reset_schedule resets;
    resets.request(busy);
    EXPECT_EQ(resets.take_due(start), the_busy_one);
    resets.request(busy);
    EXPECT_TRUE(resets.take_due(start + 1s).empty());
    EXPECT_TRUE(resets.is_requested(busy));
    EXPECT_EQ(resets.take_due(start + reset_interval), the_busy_one);
    EXPECT_FALSE(resets.is_requested(busy));
    EXPECT_TRUE(resets.take_due(start + 1h).empty());
}

}  // namespace
}  // namespace reelsd::jobs
