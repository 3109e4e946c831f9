#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>

#include <gtest/gtest.h>

// Goal: a waiting request learns of each change by any daemon. Method: changes of the queue as by
// another daemon, and only the poller.
namespace reelsd::jobs {
namespace {

/// Waits once. Returns whether the job may have changed.
boost::asio::awaitable<bool> waited(change_poller::waiter& waiter, deadline by) {
    co_return co_await waiter.wait(by);
}

/// Collects changes until `count` changes and deletions have arrived.
boost::asio::awaitable<account_changes> taken(
    change_poller::subscription& reader, std::size_t count, deadline by) {
    account_changes all;
    while (all.changed.size() + all.deleted.size() < count && !by.passed()) {
        const auto part = co_await reader.next(by);
        all.changed.insert(all.changed.end(), part.changed.begin(), part.changed.end());
        all.deleted.insert(all.deleted.end(), part.deleted.begin(), part.deleted.end());
        all.is_incomplete = all.is_incomplete || part.is_incomplete;
        all.position = part.position;
    }
    co_return all;
}

struct ChangePoller : job_store_test {
    void SetUp() override {
        job_store_test::SetUp();
        tasks_.spawn("poll", poller_.run());
    }
    void TearDown() override {
        EXPECT_TRUE(run(tasks_.stop(soon(), soon())));
        job_store_test::TearDown();
    }

    time_point changed_at(account_id account, job_id job) {
        return run(changes_.state_of(account, job, soon())).value().changed_at;
    }

    change_store changes_{pool()};
    change_poller poller_{changes_, log::logger::silent()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
};

TEST_F(ChangePoller, WakesWaitersThatHaveNotSeenTheChange) {
    const auto mine = submitted(ann_);
    const auto other = submitted(bob_);
    const auto seen = changed_at(ann_, mine);
    change_poller::waiter first{poller_, mine, seen};
    change_poller::waiter second{poller_, mine, seen};
    change_poller::waiter third{poller_, other, changed_at(bob_, other)};
    EXPECT_EQ(poller_.waiter_count(), 3U);
    ASSERT_EQ(claimed(1).at(0).id, mine);
    EXPECT_TRUE(run(waited(first, soon())));
    EXPECT_TRUE(run(waited(second, soon())));
    EXPECT_TRUE(run(waited(first, soon()))) << "again, since the job was not read";
    const auto latest = changed_at(ann_, mine);
    first.saw(latest);
    second.saw(latest);
    EXPECT_TRUE(run(store_.remove(bob_, other, soon())));
    EXPECT_TRUE(run(waited(third, soon())));
    poller_.announce(mine);
    EXPECT_TRUE(run(waited(first, soon()))) << "at once";
}

TEST_F(ChangePoller, WakesWaitersForTheEndAtTheEnd) {
    const auto mine = submitted(ann_);
    change_poller::waiter for_changes{poller_, mine, changed_at(ann_, mine)};
    change_poller::waiter for_end{poller_, mine};
    const auto held = claimed(1).at(0);
    EXPECT_TRUE(run(waited(for_changes, soon())));
    for_changes.saw(changed_at(ann_, mine));
    EXPECT_FALSE(run(waited(for_end, deadline::after({})))) << "only a step changed";
    EXPECT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    EXPECT_TRUE(run(waited(for_end, soon())));
    EXPECT_TRUE(run(waited(for_changes, soon())));
}

TEST_F(ChangePoller, ASubscriptionGetsEachChangeOfItsAccountOnce) {
    change_poller::subscription reader{poller_, ann_};
    const auto mine = submitted(ann_);
    EXPECT_GT(submitted(bob_).value, 0);
    auto changes = run(taken(reader, 1, soon()));
    ASSERT_EQ(changes.changed.size(), 1U);
    EXPECT_EQ(changes.changed[0].job.id, mine);
    EXPECT_TRUE(changes.position);
    // The next poll reads the first change again.
    EXPECT_TRUE(run(store_.remove(ann_, mine, soon())));
    changes = run(taken(reader, 1, soon()));
    EXPECT_TRUE(changes.changed.empty());
    ASSERT_EQ(changes.deleted.size(), 1U);
    EXPECT_EQ(changes.deleted[0].job, mine);
    EXPECT_FALSE(changes.is_incomplete);
}

TEST_F(ChangePoller, ResetsOnlyABusyAccount) {
    const db::query remove_all{"test.remove_all", "DELETE FROM job WHERE account_id = $1"};
    // The poller reads 200 deletions of an account at a time.
    for (int count = 0; count < 200; ++count) EXPECT_GT(submitted(bob_).value, 0);
    change_poller::subscription busy{poller_, bob_};
    change_poller::subscription quiet{poller_, ann_};
    run(pool().run(soon(), remove_all, bob_));
    const auto mine = submitted(ann_);
    const auto changes = run(taken(quiet, 1, soon()));
    ASSERT_EQ(changes.changed.size(), 1U);
    EXPECT_EQ(changes.changed[0].job.id, mine);
    EXPECT_FALSE(changes.is_incomplete);
    EXPECT_TRUE(run(taken(busy, 200, soon())).is_incomplete);
}

}  // namespace
}  // namespace reelsd::jobs
