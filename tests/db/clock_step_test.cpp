// Goal: a database whose clock is set back or forward by hours or days continues immediately: no
// user is locked out, nothing waits for the clock to catch up, and no limit is exceeded. Method:
// moves the stored times, which is equivalent to moving the clock the other way.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/pacing/pace_store.hpp>

#include <gmock/gmock.h>

#include <vector>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;

constexpr db::query move_jobs_query{"test.move_jobs", R"sql(
    UPDATE job
       SET created_at = created_at - make_interval(secs => $1),
           started_at = started_at - make_interval(secs => $1),
           run_at = run_at - make_interval(secs => $1),
           lease_until = lease_until - make_interval(secs => $1),
           changed_at = changed_at - make_interval(secs => $1))sql"};
constexpr db::query move_buckets_query{"test.move_buckets", R"sql(
    UPDATE account SET bucket_at = bucket_at - make_interval(secs => $1))sql"};
constexpr db::query move_keys_query{"test.move_keys", R"sql(
    UPDATE submission_key SET created_at = created_at - make_interval(secs => $1))sql"};
constexpr db::query key_age_query{"test.key_age", R"sql(
    SELECT extract(epoch FROM now() - min(created_at))::float8 AS seconds
      FROM submission_key)sql"};
constexpr db::query lease_left_query{"test.lease_left", R"sql(
    SELECT extract(epoch FROM lease_until - now())::float8 AS seconds FROM job WHERE id = $1)sql"};
constexpr db::query expire_lease_query{"test.expire_lease", R"sql(
    UPDATE job SET lease_until = now() - interval '1 second' WHERE id = $1)sql"};

class ClockStep : public job_store_test {
protected:
    /// Sets the database's clock forward by this much; negative: back.
    void step(seconds_f by) {
        run(pool().run(soon(), move_jobs_query, by.count()));
        run(pool().run(soon(), move_buckets_query, by.count()));
        run(pool().run(soon(), move_keys_query, by.count()));
    }
    [[nodiscard]] double number_of(const db::query& what) {
        const auto found = run(pool().run(soon(), what));
        return found.one().as<double>("seconds");
    }
    [[nodiscard]] double lease_left(job_id job) {
        const auto found = run(pool().run(soon(), lease_left_query, job));
        return found.one().as<double>("seconds");
    }
    [[nodiscard]] submission_result::outcome tried(const default_limits& limits) {
        return run(store_.submit(ann_, {.url = link}, limits, soon())).decided;
    }
};

TEST_F(ClockStep, BackADueJobIsDueImmediately) {
    const auto job = submitted(ann_);
    step(-24h);
    rescued({});
    const auto taken = claimed(1);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].id, job);
}

TEST_F(ClockStep, BackARetryKeepsItsDelay) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    ASSERT_TRUE(run(queue_.report(lease_of(held), retried{100s}, soon())));
    step(-24h);
    rescued({});
    EXPECT_TRUE(claimed(1).empty());
    step(101s);
    rescued({});
    const auto taken = claimed(1);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].id, job);
    EXPECT_EQ(taken[0].attempt, 2);
}

TEST_F(ClockStep, BackAReleasedJobIsDueImmediately) {
    static_cast<void>(submitted(ann_));
    const auto held = claimed(1).at(0);
    step(-24h);
    EXPECT_TRUE(run(queue_.report(lease_of(held), released{}, soon())));
    EXPECT_EQ(claimed(1).size(), 1U);
}

TEST_F(ClockStep, BackJobsOfDeadWorkersAreRescuedWithinTheirLease) {
    const auto job = submitted(ann_);
    ASSERT_EQ(claimed(1).size(), 1U);
    step(-24h);
    EXPECT_THAT(rescued({}), ::testing::IsEmpty());
    EXPECT_GT(lease_left(job), 50);
    EXPECT_LE(lease_left(job), 60);
    step(61s);
    rescued({});
    EXPECT_EQ(read(ann_, job).status, job_status::pending);
}

TEST_F(ClockStep, BackARenewedLeaseOfADeadWorkerIsBounded) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    // Renewed while the clock was a day ahead, and then silent.
    step(24h);
    const std::vector<lease> leases{lease_of(held)};
    EXPECT_EQ(run(queue_.renew(leases, 60s, soon())).renewed.size(), 1U);
    step(-24h);
    step(-24h);
    step(24h);
    rescued({});
    EXPECT_LE(lease_left(job), 3600);
    step(3601s);
    rescued({});
    EXPECT_EQ(read(ann_, job).status, job_status::pending);
}

TEST_F(ClockStep, BackLiveWorkersKeepTheirJobs) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    step(-24h);
    EXPECT_THAT(rescued({}), ::testing::IsEmpty());
    const std::vector<lease> leases{lease_of(held)};
    EXPECT_EQ(run(queue_.renew(leases, 60s, soon())).renewed.size(), 1U);
    EXPECT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    EXPECT_EQ(read(ann_, job).status, job_status::done);
}

TEST_F(ClockStep, BackALeaseRenewedAfterTheStepIsKept) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    step(-24h);
    const std::vector<lease> leases{lease_of(held)};
    EXPECT_EQ(run(queue_.renew(leases, 60s, soon())).renewed.size(), 1U);
    EXPECT_THAT(rescued({}), ::testing::IsEmpty());  // Of a daemon that does not hold it.
    EXPECT_EQ(read(ann_, job).status, job_status::processing);
    EXPECT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
}

TEST_F(ClockStep, ForwardAJobIsNotTakenFromItsHolder) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    step(24h);
    EXPECT_THAT(rescued({lease_of(held)}), ::testing::IsEmpty());
    EXPECT_EQ(read(ann_, job).status, job_status::processing);
    EXPECT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
}

TEST_F(ClockStep, ForwardAJobOfAnotherDaemonEndsOnce) {
    const auto job = submitted(ann_);
    const auto late = claimed(1).at(0);
    step(24h);
    rescued({});  // Of a daemon that does not hold it.
    const auto second = claimed(1).at(0);
    EXPECT_EQ(second.id, job);
    EXPECT_FALSE(run(queue_.report(lease_of(late), completed{"{}"}, soon())));
    EXPECT_TRUE(run(queue_.report(lease_of(second), completed{"{}"}, soon())));
}

TEST_F(ClockStep, BackABucketRefillsAtItsUsualRate) {
    const default_limits limits{.submissions_per_minute = 1, .concurrent_jobs = 1000};
    ASSERT_EQ(tried(limits), submission_result::outcome::accepted);
    step(-24h);
    // As empty as before, and not fuller because of the step.
    EXPECT_EQ(tried(limits), submission_result::outcome::rate_limited);
    step(61s);
    EXPECT_EQ(tried(limits), submission_result::outcome::accepted);
    EXPECT_EQ(tried(limits), submission_result::outcome::rate_limited);
}

TEST_F(ClockStep, ForwardABucketIsFullAtMost) {
    const default_limits three{.submissions_per_minute = 3, .concurrent_jobs = 1000};
    ASSERT_EQ(tried(three), submission_result::outcome::accepted);
    step(24h * 365);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(tried(three), submission_result::outcome::accepted) << i;
    EXPECT_EQ(tried(three), submission_result::outcome::rate_limited);
}

TEST_F(ClockStep, BackAKeyRepeatsItsSubmissionForADayFromNow) {
    const submission request{.url = link, .idempotency_key = "k-1"};
    const auto first = run(store_.submit(ann_, request, generous_, soon()));
    step(-24h * 30);
    const auto again = run(store_.submit(ann_, request, generous_, soon()));
    EXPECT_EQ(again.decided, submission_result::outcome::repeated);
    EXPECT_EQ(again.job, first.job);
    EXPECT_GE(number_of(key_age_query), 0);
    step(24h);
    const auto later = run(store_.submit(ann_, request, generous_, soon()));
    EXPECT_EQ(later.decided, submission_result::outcome::accepted);
}

TEST_F(ClockStep, BackOpenPagesReceiveOnlyNewChanges) {
    const auto job = submitted(ann_);
    const auto held = claimed(1).at(0);
    ASSERT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    const auto gone = submitted(ann_);
    ASSERT_TRUE(run(store_.remove(ann_, gone, soon())));
    step(-24h);
    change_store changes{pool()};
    const std::vector<account_id> pages{ann_};
    const auto since = run(changes.now(soon())) - change_overlap;
    const auto batch = run(changes.changes(pages, since, 100, soon()));
    EXPECT_TRUE(batch.changed.empty());
    const auto fresh = submitted(ann_);
    const auto news = run(changes.changes(pages, since, 100, soon()));
    ASSERT_EQ(news.changed.size(), 1U);
    EXPECT_EQ(news.changed[0].job.id, fresh);
    step(24h);
    EXPECT_EQ(run(changes.changes(pages, since, 100, soon())).changed.size(), 1U) << job.value;
}

class PaceClockStep : public test::database_test {
protected:
    pacing::permit ask() { return run(store_.ask(page_, pace_, soon())); }
    void note(pacing::outcome ended) {
        static_cast<void>(run(store_.note(page_, "DYexample01", ended, pace_, soon())));
    }
    void step(seconds_f by) {
        static constexpr db::query move_query{"test.move_paces", R"sql(
            UPDATE resolver_pace
               SET next_at = next_at - make_interval(secs => $1),
                   busy_until = busy_until - make_interval(secs => $1),
                   hour_at = hour_at - make_interval(secs => $1),
                   cooldown_until = cooldown_until - make_interval(secs => $1))sql"};
        run(pool().run(soon(), move_query, by.count()));
    }

    const pacing::paced_resolver page_{.host = "www.instagram.com", .resolver = "page"};
    pacing::pace_store store_{pool()};
    pacing::pace pace_;
};

TEST_F(PaceClockStep, BackTheNextPermitIsAnIntervalAway) {
    ASSERT_EQ(ask().given, pacing::permit::status::now);
    note(pacing::outcome::answered);
    step(-24h);
    const auto later = ask();
    EXPECT_EQ(later.given, pacing::permit::status::later);
    EXPECT_LE(later.wait, pace_.interval);
    step(pace_.interval);
    EXPECT_EQ(ask().given, pacing::permit::status::now);
}

TEST_F(PaceClockStep, BackATryOfADeadDaemonDelaysOthersNoLonger) {
    ASSERT_EQ(ask().given, pacing::permit::status::now);  // And is never heard of again.
    step(-24h);
    EXPECT_EQ(ask().given, pacing::permit::status::later);
    step(pace_.try_time + 1s);
    EXPECT_EQ(ask().given, pacing::permit::status::now);
}

TEST_F(PaceClockStep, BackACooldownKeepsItsLength) {
    ASSERT_EQ(ask().given, pacing::permit::status::now);
    note(pacing::outcome::throttled);
    step(-24h);
    const auto cooling = ask();
    EXPECT_EQ(cooling.given, pacing::permit::status::cooling_down);
    EXPECT_GT(cooling.wait, pace_.cooldown_first / 2);
    EXPECT_LE(cooling.wait, pace_.cooldown_first);
    step(pace_.cooldown_first + 1s);
    EXPECT_EQ(ask().given, pacing::permit::status::now);
}

TEST_F(PaceClockStep, BackTheHourlyLimitRefillsAtItsUsualRate) {
    pace_.tries_per_hour = 1;
    ASSERT_EQ(ask().given, pacing::permit::status::now);
    note(pacing::outcome::answered);
    step(-24h);
    const auto spent = ask();
    EXPECT_EQ(spent.given, pacing::permit::status::later);
    EXPECT_LE(spent.wait, 3600s);
    step(3601s);
    EXPECT_EQ(ask().given, pacing::permit::status::now);
}

TEST_F(PaceClockStep, ForwardTheHourlyLimitIsFullAtMost) {
    pace_.tries_per_hour = 2;
    pace_.interval = 1ms;
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(ask().given, pacing::permit::status::now) << i;
        note(pacing::outcome::answered);
        step(1s);
    }
    step(24h * 365);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(ask().given, pacing::permit::status::now) << i;
        note(pacing::outcome::answered);
        step(1s);
    }
    EXPECT_EQ(ask().given, pacing::permit::status::later);
}

}  // namespace
}  // namespace reelsd::jobs
