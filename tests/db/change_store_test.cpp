#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>

#include <gtest/gtest.h>

#include <set>
#include <vector>

// Goal: a reader of an account learns of each change of its jobs, and of no other account's.
// Method: changes of the queue by hand.
namespace reelsd::jobs {
namespace {

struct ChangeStore : job_store_test {
    change_batch since(time_point from, int most = 100) {
        const std::vector<account_id> watched{ann_};
        return run(changes_.changes(watched, from, most, soon()));
    }
    time_point now() { return run(changes_.now(soon())); }

    change_store changes_{pool()};
    operations_store operations_{pool()};
};

TEST_F(ChangeStore, EveryStepOfAJobIsAChange) {
    auto from = now();
    const auto mine = submitted(ann_);
    const auto bobs = submitted(bob_);
    auto batch = since(from);
    ASSERT_EQ(batch.changed.size(), 1U);
    EXPECT_EQ(batch.changed[0].account, ann_);
    EXPECT_EQ(batch.changed[0].job.id, mine);
    EXPECT_NE(mine, bobs);
    EXPECT_EQ(batch.changed[0].job.status, job_status::pending);
    EXPECT_TRUE(batch.truncated.empty());

    from = batch.until;
    const auto held = claimed(2);
    batch = since(from);
    ASSERT_EQ(batch.changed.size(), 1U);
    EXPECT_EQ(batch.changed[0].job.status, job_status::processing);
    EXPECT_EQ(batch.changed[0].step, "");

    from = batch.until;
    const auto claim = held.front().id == mine ? held.front().claim : held.back().claim;
    run(changes_.note_steps({{mine, claim, "download"}}, soon()));
    run(changes_.note_steps({{mine, claim, "download"}}, soon()));
    batch = since(from);
    ASSERT_EQ(batch.changed.size(), 1U);
    EXPECT_EQ(batch.changed[0].step, "download");

    from = batch.until;
    run(changes_.note_steps({{mine, claim + 1, "analyze"}}, soon()));
    EXPECT_TRUE(since(from).changed.empty()) << "of another claim";
    const auto running = run(operations_.running(soon()));
    ASSERT_EQ(running.size(), 2U);

    const transition failure =
        failed{.code = job_error_code::unavailable, .text = "Video is not available"};
    ASSERT_TRUE(run(queue_.report({mine, claim}, failure, soon())));
    batch = since(from);
    ASSERT_EQ(batch.changed.size(), 1U);
    EXPECT_EQ(batch.changed[0].job.status, job_status::error);
    EXPECT_EQ(batch.changed[0].step, "") << "no job is running";
    EXPECT_TRUE(since(batch.until).changed.empty());
}

TEST_F(ChangeStore, ReportsAWatchedJobThatHasChanged) {
    const auto mine = submitted(ann_);
    const auto bobs = submitted(bob_);
    EXPECT_FALSE(run(changes_.state_of(bob_, mine, soon())));
    const auto state_of = [this](job_id job) {
        return run(changes_.state_of(ann_, job, soon())).value();
    };
    auto now = state_of(mine);
    EXPECT_EQ(now.job.status, job_status::pending);
    EXPECT_EQ(now.attempt, 0);
    EXPECT_EQ(now.step, "");
    const auto others = run(changes_.state_of(bob_, bobs, soon())).value();
    const auto changed = [&](time_point seen) {
        const std::vector<watched_job> watched{
            {.job = mine, .seen = seen}, {.job = bobs, .seen = others.changed_at}};
        return run(changes_.changed_among(watched, soon()));
    };
    EXPECT_TRUE(changed(now.changed_at).empty());

    const auto held = claimed(1).at(0);
    ASSERT_EQ(held.id, mine) << "the older one";
    auto found = changed(now.changed_at);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].job, mine);
    now = state_of(mine);
    EXPECT_EQ(found[0].changed_at, now.changed_at);
    EXPECT_EQ(now.job.status, job_status::processing);
    EXPECT_EQ(now.attempt, 1);

    run(changes_.note_steps({{mine, held.claim, "download"}}, soon()));
    ASSERT_EQ(changed(now.changed_at).size(), 1U);
    now = state_of(mine);
    EXPECT_EQ(now.step, "download");
    ASSERT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    ASSERT_EQ(changed(now.changed_at).size(), 1U);
    now = state_of(mine);
    EXPECT_EQ(now.job.status, job_status::done);
    EXPECT_EQ(now.job.result, "{}");
    EXPECT_EQ(now.step, "");

    EXPECT_TRUE(run(store_.remove(ann_, mine, soon())));
    found = changed(now.changed_at);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].job, mine);
    EXPECT_EQ(found[0].changed_at, std::nullopt);
    EXPECT_TRUE(found[0].is_over);
}

TEST_F(ChangeStore, ReportsJobsThatHaveEnded) {
    const auto open = submitted(ann_);
    const auto done = submitted(ann_);
    const auto gone = submitted(ann_);
    for (const auto& job : claimed(3)) {
        if (job.id == done) run(queue_.report(lease_of(job), completed{"{}"}, soon()));
        if (job.id != done) run(queue_.report(lease_of(job), released{}, soon()));
    }
    EXPECT_TRUE(run(store_.remove(ann_, gone, soon())));
    const std::vector<watched_job> watched{
        {.job = open, .seen = {}}, {.job = done, .seen = {}}, {.job = gone, .seen = {}}};
    std::set<job_id> ended;
    for (const auto& change : run(changes_.changed_among(watched, soon()))) {
        EXPECT_TRUE(change.is_over);
        ended.insert(change.job);
    }
    EXPECT_EQ(ended, (std::set{done, gone}));
    EXPECT_TRUE(run(changes_.changed_among({}, soon())).empty());
}

TEST_F(ChangeStore, ReportsRunningJobsWithTheirStep) {
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_GT(submitted(bob_).value, 0);
    EXPECT_TRUE(run(changes_.in_work(ann_, 10, soon())).empty()) << "no worker has claimed it yet";
    const auto held = claimed(2);
    const auto mine = held.front().account == ann_ ? held.front() : held.back();
    run(changes_.note_steps({{mine.id, mine.claim, "analyze"}}, soon()));
    const auto in_work = run(changes_.in_work(ann_, 10, soon()));
    ASSERT_EQ(in_work.size(), 1U);
    EXPECT_EQ(in_work[0].job.id, mine.id);
    EXPECT_EQ(in_work[0].step, "analyze");
    EXPECT_TRUE(run(changes_.in_work(ann_, 0, soon())).empty());
}

TEST_F(ChangeStore, ALeaseRenewalIsNotAChange) {
    const auto mine = submitted(ann_);
    const auto held = claimed(1);
    const auto from = now();
    const std::vector<lease> leases{{mine, held.front().claim}};
    run(queue_.renew(leases, std::chrono::seconds{60}, soon()));
    EXPECT_TRUE(since(from).changed.empty());
}

TEST_F(ChangeStore, KeepsDeletionsForADay) {
    const auto mine = submitted(ann_);
    const auto bobs = submitted(bob_);
    const auto from = now();
    ASSERT_TRUE(run(store_.remove(ann_, mine, soon())));
    ASSERT_TRUE(run(store_.remove(bob_, bobs, soon())));
    auto batch = since(from);
    ASSERT_EQ(batch.deleted.size(), 1U);
    EXPECT_EQ(batch.deleted[0].job, mine);
    EXPECT_TRUE(batch.changed.empty());

    EXPECT_EQ(run(changes_.forget_old_deletions(10, soon())), 0);
    EXPECT_EQ(since(from).deleted.size(), 1U);
    const db::query age{
        "test.age", "UPDATE deleted_job SET deleted_at = deleted_at - interval '25 hours'"};
    run(pool().run(soon(), age));
    EXPECT_EQ(run(changes_.forget_old_deletions(10, soon())), 2) << "also the other account's";
    EXPECT_TRUE(since(from - std::chrono::hours{48}).deleted.empty());
}

TEST_F(ChangeStore, RemovesOldDeletionsInStepsOldestFirst) {
    const db::query fill{"test.fill", R"sql(
        INSERT INTO deleted_job (account_id, job_id, deleted_at)
        SELECT $1, number, now() - make_interval(hours => 25) - make_interval(secs => number)
          FROM generate_series(1, 5) AS number)sql"};
    const db::query left{"test.left", "SELECT job_id FROM deleted_job ORDER BY job_id"};
    run(pool().run(soon(), fill, ann_));
    EXPECT_EQ(run(changes_.forget_old_deletions(2, soon())), 2);
    const auto still = run(pool().run(soon(), left));
    EXPECT_EQ(
        still.map([](const db::row& row) { return row.as<std::int64_t>("job_id"); }),
        (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_EQ(run(changes_.forget_old_deletions(2, soon())), 2);
    EXPECT_EQ(run(changes_.forget_old_deletions(2, soon())), 1)
        << "fewer than requested: no more changes";
    EXPECT_EQ(run(changes_.forget_old_deletions(2, soon())), 0);
}

TEST_F(ChangeStore, TruncatesOnlyABusyAccount) {
    const auto from = now();
    for (int count = 0; count < 5; ++count) static_cast<void>(submitted(bob_));
    const auto mine = submitted(ann_);
    const auto batch = run(changes_.changes({ann_, bob_}, from, 3, soon()));
    EXPECT_EQ(batch.truncated, std::set{bob_});
    EXPECT_EQ(batch.changed.size(), 4U);
    EXPECT_EQ(batch.changed.front().job.id, mine);
    EXPECT_TRUE(run(changes_.changes({ann_, bob_}, from, 6, soon())).truncated.empty());

    ASSERT_TRUE(run(store_.remove(ann_, mine, soon())));
    EXPECT_EQ(since(from, 1).truncated, std::set{ann_}) << "deletions count as well";
    EXPECT_TRUE(since(from, 2).truncated.empty());
}

TEST_F(ChangeStore, ResubmitsAFailedJobWithoutChangingIt) {
    const auto mine = submitted(ann_);
    const auto other = submitted(bob_);
    const auto held = claimed(2);
    const transition failure = failed{
        .code = job_error_code::download_failed, .text = "The video could not be downloaded"};
    for (const auto& job : held) {
        if (job.id == mine) {
            ASSERT_TRUE(run(queue_.report(lease_of(job), failure, soon())));
        }
    }
    const auto overview = run(operations_.failures(10, soon()));
    ASSERT_EQ(overview.by_cause.size(), 1U);
    EXPECT_EQ(overview.by_cause[0].code, job_error_code::download_failed);
    EXPECT_EQ(overview.by_cause[0].count, 1);
    ASSERT_EQ(overview.recent.size(), 1U);
    EXPECT_EQ(overview.recent[0].id, mine);
    EXPECT_EQ(overview.recent[0].email, "ann@example.com");

    const std::vector<job_id> asked{mine, other, job_id{999'999}};
    const auto resubmitted = run(operations_.resubmit(asked, soon()));
    ASSERT_EQ(resubmitted.size(), 1U) << "one is in progress, one does not exist";
    EXPECT_EQ(resubmitted[0].failed, mine);
    EXPECT_EQ(read(ann_, mine).status, job_status::error);
    EXPECT_EQ(read(ann_, resubmitted[0].new_id).status, job_status::pending);
    EXPECT_EQ(read(ann_, resubmitted[0].new_id).url, link);
    EXPECT_TRUE(run(operations_.resubmit(asked, soon())).empty()) << "the job is in progress";
}

}  // namespace
}  // namespace reelsd::jobs
