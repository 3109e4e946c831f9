#include "job_store_fixture.hpp"
#include "support/row_lock.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <vector>

namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr db::query expire_leases_query{"test.expire_leases", R"sql(
    UPDATE job SET lease_until = now() - interval '1 second' WHERE status = 'processing')sql"};
constexpr db::query make_due_query{"test.make_due", R"sql(
    UPDATE job SET run_at = now() WHERE status = 'pending')sql"};
constexpr db::query turn_query{"test.turn", "SELECT turn FROM job WHERE id = $1"};
constexpr db::query add_many_query{"test.add_many", R"sql(
    SELECT count(*) AS many
      FROM submit_jobs(
          array_fill($1::bigint, ARRAY[$2::integer]), array_fill($3::text, ARRAY[$2::integer]),
          array_fill(false, ARRAY[$2::integer]), array_fill(false, ARRAY[$2::integer]),
          array_fill(NULL::text, ARRAY[$2::integer]), array_fill(NULL::text, ARRAY[$2::integer]),
          array_fill(NULL::text, ARRAY[$2::integer]), array_fill(0, ARRAY[$2::integer]),
          100000, 100000)
     WHERE outcome = 'admitted')sql"};
constexpr db::query drain_query{"test.drain_bucket", R"sql(
    UPDATE account SET bucket_tokens = 0.5, bucket_at = clock_timestamp() WHERE id = $1)sql"};
constexpr db::query attempts_query{"test.attempts", R"sql(
    SELECT attempt, claim FROM job WHERE id = $1)sql"};
constexpr db::query delete_query{"test.delete", R"sql(DELETE FROM job WHERE id = $1)sql"};

using JobStore = job_store_test;

TEST_F(JobStore, DoesNotClaimJobsThatTheClaimantHolds) {
    const auto first = submitted(ann_);
    const auto second = submitted(ann_);
    const auto held = claimed(1).at(0);
    ASSERT_EQ(held.id, first);
    // Its answer was lost, and the worker does not know yet.
    ASSERT_TRUE(run(queue_.report(lease_of(held), released{}, soon())));
    const claim_request request{
        .worker = "w", .jobs_max = 2, .lease = std::chrono::seconds{60}, .in_flight = {first}};
    const auto taken = run(queue_.claim(request, soon()));
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].id, second);
    EXPECT_EQ(claimed(1).at(0).id, first) << "once it is known, it is reclaimed";
}

// Goal: a claim whose answer is lost costs neither an attempt nor the wait for a lease.
TEST_F(JobStore, ReclaimsJobsOfALostClaimFirst) {
    const auto lost = submitted(ann_);
    ASSERT_EQ(claimed(1).at(0).id, lost);  // As "w", and the answer is lost.
    run(pool().run(soon(), expire_leases_query));
    const rescue_request own{
        .held = {}, .worker = "w", .claim_epoch = 1, .attempts_max = 3, .exhausted_text = "x"};
    EXPECT_TRUE(run(queue_.rescue(own, soon())).empty());
    EXPECT_EQ(read(ann_, lost).status, job_status::processing) << "left for the next claim";

    const auto due = submitted(ann_);
    claim_request next{
        .worker = "w", .jobs_max = 1, .lease = 60s, .in_flight = {lost}, .claim_epoch = 1};
    EXPECT_EQ(run(queue_.claim(next, soon())).at(0).id, due) << "held jobs are not claimed";
    next.in_flight = {due};
    const auto again = run(queue_.claim(next, soon()));
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].id, lost);
    EXPECT_EQ(again[0].attempt, 1);
    EXPECT_EQ(again[0].claim, 2);
    EXPECT_TRUE(run(queue_.claim(next, soon())).empty()) << "it has the new epoch";
}

// Daemons of the previous release put the epoch into the names of workers.
TEST_F(JobStore, DoesNotTreatClaimsOfTheLastReleaseAsLost) {
    const db::query claim_query{"test.claim_as_before", R"sql(
        UPDATE job SET status = 'processing', claim = claim + 1, attempt = attempt + 1,
                       worker = 'w/0000000001', started_at = now(),
                       lease_until = now() - interval '1 second'
         WHERE id = $1)sql"};
    const auto id = submitted(ann_);
    run(pool().run(soon(), claim_query, id));
    const claim_request next{.worker = "w", .jobs_max = 1, .lease = 60s, .claim_epoch = 2};
    EXPECT_TRUE(run(queue_.claim(next, soon())).empty());
    const rescue_request rescue{
        .held = {}, .worker = "w", .claim_epoch = 2, .attempts_max = 3, .exhausted_text = "x"};
    EXPECT_TRUE(run(queue_.rescue(rescue, soon())).empty());
    EXPECT_EQ(read(ann_, id).status, job_status::pending) << "its lease has expired";
}

TEST_F(JobStore, AJobIsVisibleOnlyToItsOwner) {
    const auto id = submitted(ann_);
    const auto job = read(ann_, id);
    EXPECT_EQ(job.status, job_status::pending);
    EXPECT_EQ(job.url, link);
    EXPECT_FALSE(job.started_at);
    EXPECT_FALSE(run(store_.find(bob_, id, soon())));
    EXPECT_FALSE(run(store_.find(ann_, job_id{id.value + 1}, soon())));
}

// Goal: concurrent submissions never exceed the limit. Method: 50 over the pool's connections,
// which the server runs concurrently.
TEST_F(JobStore, AcceptsExactlyThreeOfFiftyConcurrentSubmissions) {
    std::vector<std::future<submission_result>> answers;
    for (int i = 0; i < 50; ++i) {
        answers.push_back(asio::co_spawn(
            loop().context(),
            store_.submit(ann_, {.url = link}, default_limits{}, soon()),
            asio::use_future));
    }
    int accepted = 0;
    for (auto& answer : answers) {
        loop().wait_for(answer);
        const auto decision = answer.get();
        if (decision.decided == submission_result::outcome::accepted) {
            ++accepted;
        } else {
            EXPECT_EQ(decision.decided, submission_result::outcome::too_many_jobs);
            EXPECT_EQ(decision.job_limit, 3);
            EXPECT_GT(decision.retry_after, 0);
        }
        EXPECT_EQ(decision.rate_limit, 10);
    }
    EXPECT_EQ(accepted, 3);
    // The 47 refusals do not count: 7 of 10 submissions are left.
    const auto next = run(store_.submit(ann_, {.url = link}, default_limits{10, 4}, soon()));
    EXPECT_EQ(next.decided, submission_result::outcome::accepted);
    EXPECT_GE(next.rate_remaining, 6);
}

TEST_F(JobStore, SubmissionsPerMinuteAreATokenBucket) {
    for (int left = 9; left >= 0; --left) {
        const auto decision =
            run(store_.submit(ann_, {.url = link}, default_limits{10, 1000}, soon()));
        ASSERT_EQ(decision.decided, submission_result::outcome::accepted);
        EXPECT_GE(decision.rate_remaining, left);
    }
    run(pool().run(soon(), drain_query, ann_));
    const auto refused = run(store_.submit(ann_, {.url = link}, default_limits{10, 1000}, soon()));
    EXPECT_EQ(refused.decided, submission_result::outcome::rate_limited);
    EXPECT_GE(refused.retry_after, 1);
    EXPECT_LE(refused.retry_after, 3);  // Half a token at one every 6 s.
    EXPECT_EQ(refused.rate_remaining, 0);
    EXPECT_GT(refused.rate_reset, 50);
    EXPECT_EQ(submitted(bob_).value > 0, true);
}

TEST_F(JobStore, ClaimsEachJobOnceAndTheLongestDueFirst) {
    std::vector<job_id> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(submitted(ann_));
    const auto first = claimed(2);
    ASSERT_EQ(first.size(), 2U);
    const auto rest = claimed(10);
    ASSERT_EQ(rest.size(), 3U);
    EXPECT_TRUE(claimed(10).empty());
    std::vector<job_id> taken{first[0].id, first[1].id};
    EXPECT_THAT(taken, ::testing::UnorderedElementsAre(ids[0], ids[1]));
    const auto job = read(ann_, first[0].id);
    EXPECT_EQ(job.status, job_status::processing);
    EXPECT_TRUE(job.started_at);
    EXPECT_EQ(first[0].attempt, 1);
    EXPECT_EQ(first[0].account, ann_);
}

TEST_F(JobStore, ConcurrentClaimantsNeverClaimTheSameJob) {
    for (int i = 0; i < 60; ++i) EXPECT_GT(submitted(ann_).value, 0);
    std::vector<std::future<std::vector<claimed_job>>> answers;
    for (int i = 0; i < 20; ++i) {
        const claim_request request{.worker = "w" + std::to_string(i), .jobs_max = 5, .lease = 60s};
        answers.push_back(
            asio::co_spawn(loop().context(), queue_.claim(request, soon()), asio::use_future));
    }
    std::vector<std::int64_t> taken;
    for (auto& answer : answers) {
        loop().wait_for(answer);
        for (const auto& job : answer.get()) taken.push_back(job.id.value);
    }
    std::sort(taken.begin(), taken.end());
    EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end()), taken.end());
    for (const auto& job : claimed(64)) taken.push_back(job.id.value);
    EXPECT_EQ(taken.size(), 60U);
}

TEST_F(JobStore, ReportsEndAJobOnce) {
    const auto done = submitted(ann_);
    const auto broken = submitted(ann_);
    const auto held = claimed(2);
    ASSERT_EQ(held.size(), 2U);
    for (const auto& job : held) {
        const transition ended = job.id == done
                                     ? transition{completed{R"({"visual":{"a":"é\u0000"}})"}}
                                     : transition{failed{job_error_code::unavailable, "Gone"}};
        EXPECT_TRUE(run(queue_.report(lease_of(job), ended, soon())));
        EXPECT_FALSE(run(queue_.report(lease_of(job), released{}, soon())));
    }
    const auto first = read(ann_, done);
    EXPECT_EQ(first.status, job_status::done);
    EXPECT_EQ(first.result, R"({"visual":{"a":"é\u0000"}})");
    EXPECT_TRUE(first.finished_at);
    const auto second = read(ann_, broken);
    EXPECT_EQ(second.status, job_status::error);
    EXPECT_EQ(second.error_code, job_error_code::unavailable);
    EXPECT_EQ(second.error, "Gone");
    EXPECT_FALSE(second.is_retryable);
    EXPECT_FALSE(second.retry_after_seconds);
    EXPECT_FALSE(second.result);
}

TEST_F(JobStore, AFailureReportsWhenToSubmitAgain) {
    const auto id = submitted(ann_);
    const failed ended{
        .code = job_error_code::model_failed,
        .text = "No model",
        .why = {.cause = errc::model_unavailable},
        .retry_after = 900s};
    EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    const auto failure = read(ann_, id);
    EXPECT_TRUE(failure.is_retryable);
    EXPECT_EQ(failure.retry_after_seconds, 900);
}

TEST_F(JobStore, ARetryIsDueLaterAndCountsAnAttempt) {
    const auto id = submitted(ann_);
    const auto held = claimed(1).at(0);
    EXPECT_TRUE(run(queue_.report(lease_of(held), retried{3600s}, soon())));
    EXPECT_EQ(read(ann_, id).status, job_status::pending);
    EXPECT_TRUE(claimed(1).empty());
    run(pool().run(soon(), make_due_query));
    rescued({});  // Once a second.
    EXPECT_EQ(claimed(1).at(0).attempt, 2);
}

TEST_F(JobStore, AReleaseCostsNoAttemptAndIsDueImmediately) {
    const auto id = submitted(ann_);
    const auto held = claimed(1).at(0);
    EXPECT_TRUE(run(queue_.report(lease_of(held), released{}, soon())));
    const auto again = claimed(1).at(0);
    EXPECT_EQ(again.attempt, 1);
    EXPECT_EQ(again.claim, 2);
    const auto counts = run(pool().run(soon(), attempts_query, id));
    EXPECT_EQ(counts.one().as<std::int32_t>("claim"), 2);
}

TEST_F(JobStore, AReleaseKeepsTheJobsPlaceInTheQueue) {
    const auto first = submitted(ann_);
    const auto second = submitted(ann_);
    const auto held = claimed(1).at(0);
    ASSERT_EQ(held.id, first);
    EXPECT_TRUE(run(queue_.report(lease_of(held), released{}, soon())));
    EXPECT_EQ(claimed(1).at(0).id, first);
    EXPECT_EQ(claimed(1).at(0).id, second);
}

TEST_F(JobStore, AReleaseOfTheFirstAttemptClearsTheStartTime) {
    const auto id = submitted(ann_);
    const auto first = claimed(1).at(0);
    EXPECT_TRUE(read(ann_, id).started_at);
    EXPECT_TRUE(run(queue_.report(lease_of(first), released{}, soon())));
    EXPECT_FALSE(read(ann_, id).started_at);
    EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), retried{0s}, soon())));
    const auto began = read(ann_, id).started_at;
    EXPECT_TRUE(began);
    EXPECT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), released{}, soon())));
    EXPECT_EQ(read(ann_, id).started_at, began);
}

TEST_F(JobStore, ASnoozeCostsNoAttemptAndIsDueLater) {
    const auto id = submitted(ann_);
    const auto held = claimed(1).at(0);
    EXPECT_TRUE(run(queue_.report(lease_of(held), snoozed{3600s}, soon())));
    EXPECT_EQ(read(ann_, id).status, job_status::pending);
    EXPECT_TRUE(claimed(1).empty());
    run(pool().run(soon(), make_due_query));
    rescued({});
    const auto again = claimed(1).at(0);
    EXPECT_EQ(again.attempt, 1);
    EXPECT_EQ(again.claim, 2);
}

TEST_F(JobStore, ACoolDownCountsFromTheFirstConsecutiveSnooze) {
    static_cast<void>(submitted(ann_));
    const auto snooze = [this](const transition& how) {
        const auto held = claimed(1).at(0);
        EXPECT_TRUE(run(queue_.report(lease_of(held), how, soon())));
        run(pool().run(soon(), make_due_query));
        rescued({});
        return held.cooling_since;
    };
    const snoozed cooldown{.delay = 60s, .is_cooldown = true};
    EXPECT_FALSE(snooze(cooldown));
    const auto since = snooze(cooldown);
    EXPECT_TRUE(since);
    EXPECT_EQ(snooze(cooldown), since);
    EXPECT_EQ(snooze(snoozed{.delay = 60s}), since);
    EXPECT_FALSE(snooze(cooldown)) << "anything else ends the count";
}

/// Method: a backlog of one account, some of which is in progress, and one job of another account.
TEST_F(JobStore, ABacklogDelaysAnotherAccountByAtMostTwoTurns) {
    const auto added = run(pool().run(soon(), add_many_query, ann_, 1000, std::string_view{link}));
    ASSERT_EQ(added.one().as<std::int64_t>("many"), 1000);
    ASSERT_EQ(claimed(10).size(), 10U);
    const auto single = submitted(bob_);
    const auto next = claimed(2);
    ASSERT_EQ(next.size(), 2U);
    EXPECT_TRUE(next[0].id == single || next[1].id == single);
    // The account with the backlog does not wait for others that submit one at a time.
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(submitted(bob_));
        const auto both = claimed(2);
        EXPECT_NE(both.at(0).account, both.at(1).account);
    }
}

TEST_F(JobStore, ClaimsJobsOfAnAccountInOrderOfSubmission) {
    for (int i = 0; i < 5; ++i) {
        static_cast<void>(submitted(ann_));
        if (i % 2 == 0) static_cast<void>(submitted(bob_));
    }
    std::map<account_id, job_id> last;
    for (auto batch = claimed(3); !batch.empty(); batch = claimed(3)) {
        for (const auto& job : batch) {
            EXPECT_LT(last[job.account].value, job.id.value);
            last[job.account] = job.id;
            if (job.claim > 1) continue;
            EXPECT_TRUE(run(queue_.report(lease_of(job), released{}, soon())));
            EXPECT_EQ(claimed(1).at(0).id, job.id) << "released, it keeps its turn";
        }
    }
}

TEST_F(JobStore, ATurnFollowsTheAccountsLastAndTheLastClaimed) {
    const auto turn_of = [this](job_id job) {
        const auto found = run(pool().run(soon(), turn_query, job));
        return found.one().as<std::int64_t>("turn");
    };
    EXPECT_EQ(turn_of(submitted(ann_)), 1);
    const auto second = submitted(ann_);
    EXPECT_EQ(turn_of(second), 2);
    EXPECT_EQ(turn_of(submitted(bob_)), 1);
    ASSERT_EQ(claimed(3).size(), 3U);
    EXPECT_EQ(turn_of(submitted(bob_)), 3);
    EXPECT_TRUE(run(store_.remove(ann_, second, soon())));
    EXPECT_EQ(turn_of(submitted(ann_)), 3) << "a deleted job does not use a turn";
}

TEST_F(JobStore, ALateReportChangesNothing) {
    const auto id = submitted(ann_);
    const auto late = claimed(1).at(0);
    run(pool().run(soon(), expire_leases_query));
    EXPECT_TRUE(rescued({}, "Internal error").empty());
    const auto current = claimed(1).at(0);
    EXPECT_EQ(current.attempt, 2);

    EXPECT_FALSE(run(queue_.report(lease_of(late), completed{"{}"}, soon())));
    EXPECT_TRUE(run(queue_.renew({lease_of(late)}, 60s, soon())).renewed.empty());
    EXPECT_EQ(read(ann_, id).status, job_status::processing);
    EXPECT_TRUE(run(queue_.report(lease_of(current), completed{R"({"b":1})"}, soon())));
    EXPECT_EQ(read(ann_, id).result, R"({"b":1})");
}

TEST_F(JobStore, RescueSkipsLiveWorkersAndHeldJobs) {
    EXPECT_GT(submitted(ann_).value, 0);
    const auto held = claimed(1).at(0);
    EXPECT_TRUE(rescued({}).empty());
    EXPECT_EQ(read(ann_, held.id).status, job_status::processing);

    run(pool().run(soon(), expire_leases_query));
    EXPECT_TRUE(rescued({lease_of(held)}).empty());
    EXPECT_EQ(read(ann_, held.id).status, job_status::processing);
    // An expired lease that was not claimed can be renewed.
    const std::vector<lease> expected{lease_of(held)};
    EXPECT_EQ(run(queue_.renew(expected, 60s, soon())).renewed, expected);
}

// Goal: a row locked by an open transaction costs no other lease, and does not count as lost.
TEST_F(JobStore, ARenewalSkipsALockedRow) {
    for (int i = 0; i < 5; ++i) static_cast<void>(submitted(ann_));
    std::vector<lease> held;
    for (const auto& job : claimed(5)) held.push_back(lease_of(job));
    ASSERT_EQ(held.size(), 5U);
    const auto gone = held.back();
    run(pool().run(soon(), delete_query, gone.job));
    test::row_lock lock{loop(), connection_string(), held[2].job};

    const auto answer = run(queue_.renew(held, 60s, soon()));
    EXPECT_THAT(answer.renewed, ::testing::UnorderedElementsAre(held[0], held[1], held[3]));
    EXPECT_THAT(answer.skipped, ::testing::ElementsAre(held[2]));

    auto late = held[2];
    --late.claim;
    const auto of_late = run(queue_.renew({late}, 60s, soon()));
    EXPECT_TRUE(of_late.renewed.empty());
    EXPECT_TRUE(of_late.skipped.empty()) << "another claim is lost, locked or not";

    lock.release();
    EXPECT_EQ(run(queue_.renew({held[2]}, 60s, soon())).renewed.size(), 1U);
}

TEST_F(JobStore, AJobEndsInErrorWhenItsLastWorkerDies) {
    const auto id = submitted(ann_);
    for (int attempt = 1; attempt <= 3; ++attempt) {
        EXPECT_EQ(claimed(1).at(0).attempt, attempt);
        run(pool().run(soon(), expire_leases_query));
        const auto ended = rescued({}, "Internal error.");
        EXPECT_EQ(ended.size(), attempt == 3 ? 1U : 0U);
    }
    const auto job = read(ann_, id);
    EXPECT_EQ(job.status, job_status::error);
    EXPECT_EQ(job.error_code, job_error_code::internal);
    EXPECT_EQ(job.error, "Internal error.");
    EXPECT_TRUE(claimed(1).empty());
}

TEST_F(JobStore, ListsInStablePages) {
    std::vector<job_id> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(submitted(ann_));
    EXPECT_GT(submitted(bob_).value, 0);
    const auto first = run(store_.list(ann_, {.jobs_max = 2}, soon()));
    ASSERT_EQ(first.jobs.size(), 2U);
    EXPECT_EQ(first.jobs[0].id, ids[4]);
    ASSERT_EQ(first.next, ids[3]);

    // Stable while jobs are added and deleted, even the last one of the page.
    EXPECT_TRUE(run(store_.remove(ann_, ids[3], soon())));
    EXPECT_GT(submitted(ann_).value, 0);
    const auto second = run(store_.list(ann_, {.jobs_max = 2, .before = first.next}, soon()));
    ASSERT_EQ(second.jobs.size(), 2U);
    EXPECT_EQ(second.jobs[0].id, ids[2]);
    EXPECT_EQ(second.jobs[1].id, ids[1]);
    const auto last = run(store_.list(ann_, {.jobs_max = 2, .before = second.next}, soon()));
    ASSERT_EQ(last.jobs.size(), 1U);
    EXPECT_EQ(last.jobs[0].id, ids[0]);
    EXPECT_FALSE(last.next);
}

TEST_F(JobStore, ListsOneStatusWithBriefsOfDoneJobs) {
    const auto open = submitted(ann_);
    const auto held = claimed(1).at(0);
    const completed ended{
        .result = "{}", .brief = {.code = "DYa0IXPgnP5", .author = "ann", .summary = "Soup."}};
    ASSERT_TRUE(run(queue_.report(lease_of(held), ended, soon())));
    const auto waiting = submitted(ann_);
    const auto done = run(store_.list(ann_, {.status = job_status::done}, soon())).jobs;
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(done[0].id, open);
    ASSERT_TRUE(done[0].brief);
    EXPECT_EQ(done[0].brief->code, "DYa0IXPgnP5");
    EXPECT_EQ(done[0].brief->author, "ann");
    EXPECT_EQ(done[0].brief->summary, "Soup.");
    EXPECT_FALSE(done[0].result);
    const auto pending = run(store_.list(ann_, {.status = job_status::pending}, soon())).jobs;
    ASSERT_EQ(pending.size(), 1U);
    EXPECT_EQ(pending[0].id, waiting);
    EXPECT_FALSE(pending[0].brief);
    EXPECT_TRUE(run(store_.list(ann_, {.status = job_status::error}, soon())).jobs.empty());
}

TEST_F(JobStore, RemovesAJobOfTheCallerOnce) {
    const auto id = submitted(ann_);
    EXPECT_FALSE(run(store_.remove(bob_, id, soon())));
    EXPECT_TRUE(run(store_.find(ann_, id, soon())));
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    EXPECT_FALSE(run(store_.remove(ann_, id, soon())));
    EXPECT_FALSE(run(store_.find(ann_, id, soon())));
}

TEST_F(JobStore, ReportsWhichHeldJobsAreLost) {
    for (int i = 0; i < 3; ++i) EXPECT_GT(submitted(ann_).value, 0);
    const auto held = claimed(3);
    ASSERT_EQ(held.size(), 3U);
    const std::vector<lease> all{lease_of(held[0]), lease_of(held[1]), lease_of(held[2])};
    EXPECT_TRUE(run(queue_.lost_among(all, soon())).empty());
    EXPECT_TRUE(run(store_.remove(ann_, held[0].id, soon())));
    EXPECT_TRUE(run(queue_.report(lease_of(held[1]), released{}, soon())));
    EXPECT_THAT(
        run(queue_.lost_among(all, soon())),
        ::testing::UnorderedElementsAre(held[0].id, held[1].id));
}

TEST_F(JobStore, ADeletedJobAcceptsNoReport) {
    const auto id = submitted(ann_);
    const auto held = claimed(1).at(0);
    run(pool().run(soon(), delete_query, id));
    EXPECT_FALSE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    EXPECT_TRUE(run(queue_.renew({lease_of(held)}, 60s, soon())).renewed.empty());
}

}  // namespace
}  // namespace reelsd::jobs
