// Goal: jobs get permits for the platform fairly between accounts, and in order of submission
// within an account, for any caller. Method: the statements on a real server; times are moved to
// make permits due, independently of the speed of the machine.
#include "job_store_fixture.hpp"
#include <reelsd/domain/pacing/pace_store.hpp>

#include <gmock/gmock.h>

#include <optional>
#include <vector>

namespace reelsd::jobs {
namespace {

using namespace std::chrono_literals;
using pacing::permit;

constexpr db::query permit_due_query{"test.permit_due", R"sql(
    UPDATE resolver_pace
       SET next_at = '-infinity', busy_until = '-infinity', hour_tokens = NULL,
           hour_at = NULL)sql"};
constexpr db::query line_up_query{"test.line_up", R"sql(
    INSERT INTO job (account_id, url, turn, waits_for)
    SELECT $1, 'https://www.instagram.com/reel/DYa0IXPgnP5/', turn, 'www.instagram.com'
      FROM generate_series(1, $2) AS turn)sql"};
constexpr db::query queue_up_query{"test.queue_up", R"sql(
    INSERT INTO job (account_id, url, turn, waits_for, is_upload)
    SELECT $1, 'upload:clip.mp4', next_queued_turn($1), 'account', $2
    RETURNING id)sql"};
constexpr db::query grow_old_query{"test.grow_old", R"sql(
    UPDATE job
       SET created_at = now() - interval '2 hours', run_at = now() - interval '2 hours'
     WHERE id = $1)sql"};
/// Of two hours, which end in 55 minutes.
constexpr db::query long_cooldown_query{"test.long_cooldown", R"sql(
    UPDATE resolver_pace
       SET cooldown_seconds = 7200, cooldown_until = now() + interval '3299 seconds')sql"};
constexpr db::query answered_query{"test.answered", R"sql(
    UPDATE resolver_pace SET answered_at = now())sql"};
constexpr db::query cool_down_query{"test.cool_down", R"sql(
    UPDATE resolver_pace
       SET cooldown_seconds = 900, cooldown_until = now() + interval '899 seconds'
     WHERE resolver = $1)sql"};
constexpr db::query step_query{"test.step", "UPDATE job SET step = $2 WHERE id = $1"};
constexpr db::query claims_query{"test.claims", "SELECT sum(claim) AS claims FROM job"};

class PlatformLine : public job_store_test {
protected:
    [[nodiscard]] line_answer next(std::vector<job_id> in_flight = {}) {
        const claim_request request{.worker = "w", .lease = 60s, .in_flight = std::move(in_flight)};
        return run(queue_.claim_in_line(request, line_, soon()));
    }
    /// The job that gets the next permit.
    [[nodiscard]] std::optional<claimed_job> next_permitted() {
        run(pool().run(soon(), permit_due_query));
        return next().job;
    }
    permit ask(const claimed_job& job) {
        return run(paces_.ask_permit(
            job.id, job.claim, {.host = line_.host, .resolver = "page"}, pace_, soon()));
    }
    void line_up(const claimed_job& job) {
        EXPECT_TRUE(run(queue_.report(lease_of(job), awaiting_permit{line_.host}, soon())));
    }
    void line_up(const std::vector<claimed_job>& all) {
        for (const auto& one : all) line_up(one);
    }

    /// Beyond the concurrent jobs of its account.
    job_id queue_up(account_id account, bool is_upload) {
        const auto inserted = run(pool().run(soon(), queue_up_query, account, is_upload));
        return inserted.one().as<job_id>("id");
    }
    /// What a daemon does once a second.
    void sweep() { static_cast<void>(rescued({})); }
    void end(const claimed_job& job) {
        const failed failure{.code = job_error_code::unavailable, .text = "unavailable"};
        EXPECT_TRUE(run(queue_.report(lease_of(job), failure, soon())));
    }

    platform_line line_{
        .host = "www.instagram.com",
        .resolvers = {"page", "graphql"},
        .cooldown_text = "not asked for another {minutes} minutes",
        .unanswered_text = "has never answered"};
    pacing::pace pace_;
    pacing::pace_store paces_{pool()};
};

TEST_F(PlatformLine, ABacklogDelaysAnotherAccountByAtMostTwoTurns) {
    run(pool().run(soon(), line_up_query, ann_, 1000));
    ASSERT_TRUE(next_permitted());
    const auto single = submitted(bob_);
    line_up(claimed(1));
    const auto first = next_permitted();
    const auto second = next_permitted();
    ASSERT_TRUE(first && second);
    EXPECT_TRUE(first->id == single || second->id == single);
}

TEST_F(PlatformLine, AccountsAlternateInOrderOfSubmission) {
    std::vector<job_id> anns;
    for (int i = 0; i < 4; ++i) anns.push_back(submitted(ann_));
    const std::vector bobs{submitted(bob_), submitted(bob_)};
    auto all = claimed(6);
    ASSERT_EQ(all.size(), 6U);
    // They join the line in any order.
    std::reverse(all.begin(), all.end());
    line_up(all);
    std::vector<job_id> permitted;
    while (const auto job = next_permitted()) {
        EXPECT_EQ(job->permit, "page");
        EXPECT_EQ(job->attempt, 1) << "waiting does not count as an attempt";
        permitted.push_back(job->id);
    }
    EXPECT_THAT(
        permitted, ::testing::ElementsAre(anns[0], bobs[0], anns[1], bobs[1], anns[2], anns[3]));
}

// Otherwise a model that asks for a pause again and again would keep a job pending without end,
// because each round needs a permit.
TEST_F(PlatformLine, AWaitForAPermitDoesNotEndTheCountOfACoolDown) {
    static_cast<void>(submitted(ann_));
    const auto first = claimed(1).at(0);
    const snoozed cooldown{.delay = 0s, .is_cooldown = true};
    EXPECT_TRUE(run(queue_.report(lease_of(first), cooldown, soon())));
    sweep();
    const auto second = claimed(1).at(0);
    ASSERT_TRUE(second.cooling_since);
    line_up(second);
    const auto permitted = next_permitted();
    ASSERT_TRUE(permitted);
    EXPECT_EQ(permitted->cooling_since, second.cooling_since);
}

TEST_F(PlatformLine, ProxiesOfAResolverAlternateWithSeparateRateLimits) {
    line_.resolvers = {"page via a:1", "page via b:2", "graphql via a:1", "graphql via b:2"};
    for (int i = 0; i < 5; ++i) static_cast<void>(submitted(ann_));
    for (const auto& job : claimed(5)) line_up(job);
    const auto first = next();
    const auto second = next();
    ASSERT_TRUE(first.job && second.job);
    EXPECT_EQ(first.job->permit, "page via a:1");
    EXPECT_EQ(second.job->permit, "page via b:2");
    EXPECT_FALSE(next().job) << "both proxies were used, and the next resolver is not due";
    const auto third = next_permitted();
    ASSERT_TRUE(third);
    EXPECT_EQ(third->permit.rfind("page via ", 0), 0U);
    run(pool().run(soon(), cool_down_query, std::string_view{"page via a:1"}));
    const auto fourth = next_permitted();
    ASSERT_TRUE(fourth);
    EXPECT_EQ(fourth->permit, "page via b:2");
    run(pool().run(soon(), cool_down_query, std::string_view{"page via b:2"}));
    const auto fifth = next_permitted();
    ASSERT_TRUE(fifth);
    EXPECT_EQ(fifth->permit, "graphql via a:1");
}

TEST_F(PlatformLine, GrantsNoPermitBeforeItIsDue) {
    static_cast<void>(submitted(ann_));
    static_cast<void>(submitted(bob_));
    line_up(claimed(2));
    EXPECT_TRUE(claimed(2).empty()) << "waiting jobs cost no claims";
    rescued({});
    EXPECT_TRUE(claimed(2).empty());
    const auto given = next();
    ASSERT_TRUE(given.job);
    EXPECT_GT(given.wait, 3s) << "at least half an interval";
    const auto later = next();
    EXPECT_FALSE(later.job);
    EXPECT_FALSE(later.is_empty);
    EXPECT_GT(later.wait, 3s);
    EXPECT_LE(later.wait, 12s);
    const auto counted = run(pool().run(soon(), claims_query));
    EXPECT_EQ(counted.one().as<std::int64_t>("claims"), 3);
}

TEST_F(PlatformLine, ARunningJobGetsAPermitUnlessItWouldOvertake) {
    static_cast<void>(submitted(ann_));
    static_cast<void>(submitted(ann_));
    static_cast<void>(submitted(bob_));
    const auto all = claimed(3);
    ASSERT_EQ(all.size(), 3U);
    const auto& ann_first = all[0].account == ann_ ? all[0] : all[1];
    const auto& bob_first = all[0].account == ann_ ? all[1] : all[0];
    const auto& ann_second = all[2];
    EXPECT_EQ(ask(ann_second).given, permit::status::in_line)
        << "its account's first job is in progress";
    EXPECT_EQ(ask(ann_first).given, permit::status::now);
    EXPECT_EQ(ask(ann_second).given, permit::status::later) << "only by the rate limit";
    line_up(ann_second);
    run(pool().run(soon(), permit_due_query));
    EXPECT_EQ(ask(bob_first).given, permit::status::in_line);
    EXPECT_EQ(next().job.value().id, ann_second.id);
}

TEST_F(PlatformLine, AJobWaitsForAnEarlierOneThatMayNeedAPermit) {
    const auto first = submitted(ann_);
    static_cast<void>(submitted(ann_));
    const auto both = claimed(2);
    line_up(both[1]);
    EXPECT_FALSE(next().job) << "the first is in progress";
    EXPECT_TRUE(run(queue_.report(lease_of(both[0]), released{}, soon())));
    EXPECT_FALSE(next().job) << "and can be claimed";
    line_up(claimed(1));
    EXPECT_FALSE(next({first}).job) << "and is still held by the claimant";
    EXPECT_EQ(next().job.value().id, first);
    EXPECT_EQ(next_permitted().value().id, both[1].id) << "a job with a permit delays no other";
}

TEST_F(PlatformLine, AJobThatHasItsVideoWithoutAPermitDelaysNoOther) {
    const auto kept = submitted(ann_);
    static_cast<void>(submitted(ann_));
    const auto both = claimed(2);
    ASSERT_EQ(both[0].id, kept);
    run(pool().run(soon(), step_query, kept, std::string_view{"resolve"}));
    EXPECT_EQ(ask(both[1]).given, permit::status::in_line);
    run(pool().run(soon(), step_query, kept, std::string_view{"probe"}));
    EXPECT_EQ(ask(both[1]).given, permit::status::now);
}

TEST_F(PlatformLine, UploadsStartBeforeLinksInLineAndLeaveThemOneOfTheConcurrentJobs) {
    run(pool().run(soon(), line_up_query, ann_, 3));
    const auto link = queue_up(ann_, false);
    std::vector<job_id> uploads;
    for (int i = 0; i < 3; ++i) uploads.push_back(queue_up(ann_, true));
    EXPECT_THAT(claimed(10), ::testing::IsEmpty());
    sweep();
    const auto first = claimed(10);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].id, uploads[0]);
    EXPECT_EQ(first[1].id, uploads[1]);
    const auto permitted = next_permitted();
    ASSERT_TRUE(permitted);
    EXPECT_FALSE(next_permitted()) << "three jobs of the account are in progress";

    end(*permitted);
    EXPECT_THAT(claimed(10), ::testing::IsEmpty()) << "the last upload waits for one of the two";
    end(first[0]);
    const auto last = claimed(10);
    ASSERT_EQ(last.size(), 1U);
    EXPECT_EQ(last[0].id, uploads[2]);
    const auto second = next_permitted();
    ASSERT_TRUE(second);
    for (const auto& job : {first[1], last[0], *second}) end(job);
    const auto in_order = claimed(10);
    ASSERT_EQ(in_order.size(), 1U);
    EXPECT_EQ(in_order[0].id, link);
}

TEST_F(PlatformLine, SkipsAResolverInACoolDown) {
    static_cast<void>(submitted(ann_));
    line_up(claimed(1));
    run(paces_.note({line_.host, "page"}, "code", pacing::outcome::throttled, pace_, soon()));
    EXPECT_EQ(next().job.value().permit, "graphql");
}

TEST_F(PlatformLine, ALongCoolDownEndsJobsThatWouldWaitTooLong) {
    const auto old = submitted(ann_);
    const auto young = submitted(ann_);
    line_up(claimed(2));
    run(pool().run(soon(), grow_old_query, old));
    // An hour is allowed: while a cool-down is shorter, age alone ends nothing.
    for (const auto* const resolver : {"page", "graphql"})
        run(paces_.note({line_.host, resolver}, "code", pacing::outcome::throttled, pace_, soon()));
    const auto cooling = next();
    EXPECT_FALSE(cooling.job);
    EXPECT_GT(cooling.wait, 890s);
    EXPECT_EQ(read(ann_, old).status, job_status::pending);
    run(pool().run(soon(), long_cooldown_query));
    EXPECT_FALSE(next().job);
    EXPECT_EQ(read(ann_, old).error_code, job_error_code::rate_limited);
    EXPECT_EQ(read(ann_, old).error, "has never answered");
    EXPECT_EQ(read(ann_, young).status, job_status::pending) << "its wait is less than an hour";

    run(pool().run(soon(), answered_query));
    run(pool().run(soon(), grow_old_query, young));
    EXPECT_FALSE(next().job);
    EXPECT_EQ(read(ann_, young).error, "not asked for another 55 minutes");
}

TEST_F(PlatformLine, JobsLeaveTheLineOfARefusedSession) {
    line_.resolvers = {"session"};
    const auto waiting = submitted(ann_);
    line_up(claimed(1));
    run(pool().run(soon(), grow_old_query, waiting));
    pacing::refused_session_store refused{pool()};
    run(refused.add({.host = line_.host, .resolver = "session"}, "file", "a challenge", soon()));
    EXPECT_FALSE(next().job);
    EXPECT_EQ(read(ann_, waiting).status, job_status::pending);
    const auto again = claimed(1);
    ASSERT_EQ(again.size(), 1U) << "it can be claimed without a permit";
    EXPECT_EQ(again[0].id, waiting);
}

TEST_F(PlatformLine, JobsLeaveALineThatNoDaemonServes) {
    run(pool().run(soon(), line_up_query, ann_, 3));
    const auto queued = queue_up(ann_, false);
    const auto rescue_for = [this](std::optional<std::string> host) {
        const rescue_request request{.exhausted_text = "x", .line_host = std::move(host)};
        EXPECT_THAT(run(queue_.rescue(request, soon())), ::testing::IsEmpty());
    };
    rescue_for(line_.host);
    EXPECT_THAT(claimed(10), ::testing::IsEmpty());
    rescue_for("other.test");
    const auto jobs = claimed(10);
    ASSERT_THAT(jobs, ::testing::SizeIs(3)) << "of another platform-url, in their order";
    line_up(jobs);
    rescue_for(std::nullopt);
    EXPECT_THAT(claimed(10), ::testing::SizeIs(3)) << "without a pace";
    EXPECT_EQ(read(ann_, queued).status, job_status::pending) << "waits for its account";
}

TEST_F(PlatformLine, APermitSurvivesALostAnswerButNotARelease) {
    static_cast<void>(submitted(ann_));
    line_up(claimed(1));
    const auto lost = next().job.value();
    const claim_request again{
        .worker = "w", .jobs_max = 1, .lease = 60s, .in_flight = {}, .claim_epoch = 1};
    const auto taken = run(queue_.claim(again, soon()));
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].permit, lost.permit);
    EXPECT_TRUE(run(queue_.report(lease_of(taken[0]), released{}, soon())));
    EXPECT_EQ(claimed(1).at(0).permit, "");
}

}  // namespace
}  // namespace reelsd::jobs
