// Goal: repeated submissions are analysed once: the same key, the same post.
#include "job_store_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::jobs {
namespace {

namespace asio = boost::asio;
using JobRepetition = job_store_test;

constexpr db::query age_keys_query{"test.age_keys", R"sql(
    UPDATE submission_key SET created_at = created_at - interval '24 hours')sql"};
constexpr db::query age_analyses_query{"test.age_analyses", R"sql(
    UPDATE job SET analyzed_at = analyzed_at - interval '1 day' WHERE status = 'done')sql"};

TEST_F(JobRepetition, AKeyRepeatsItsSubmissionAndCostsNothing) {
    const submission request{.url = link, .idempotency_key = "k-1"};
    const default_limits limits{.submissions_per_minute = 2, .concurrent_jobs = 1};
    const auto first = run(store_.submit(ann_, request, limits, soon()));
    ASSERT_EQ(first.decided, submission_result::outcome::accepted);
    EXPECT_EQ(first.rate_remaining, 1);
    // Even at the limit, and with the job's current status.
    const auto held = claimed(1).at(0);
    const auto again = run(store_.submit(ann_, request, limits, soon()));
    EXPECT_EQ(again.decided, submission_result::outcome::repeated);
    EXPECT_EQ(again.job, first.job);
    EXPECT_EQ(again.status, job_status::processing);
    EXPECT_EQ(again.rate_remaining, 1);
    EXPECT_TRUE(run(queue_.report(lease_of(held), completed{"{}"}, soon())));
    EXPECT_EQ(run(store_.submit(ann_, request, limits, soon())).status, job_status::done);

    const submission other{
        .url = "https://www.instagram.com/reel/other/", .idempotency_key = "k-1"};
    EXPECT_EQ(
        run(store_.submit(ann_, other, limits, soon())).decided,
        submission_result::outcome::key_of_another_link);
    // Keys belong to an account.
    EXPECT_EQ(
        run(store_.submit(bob_, other, limits, soon())).decided,
        submission_result::outcome::accepted);
}

TEST_F(JobRepetition, AKeyEndsWithItsJobOrAfterADay) {
    const submission request{.url = link, .idempotency_key = "k-1"};
    const auto first = run(store_.submit(ann_, request, generous_, soon()));
    EXPECT_TRUE(run(store_.remove(ann_, first.job, soon())));
    const auto second = run(store_.submit(ann_, request, generous_, soon()));
    EXPECT_EQ(second.decided, submission_result::outcome::accepted);
    EXPECT_NE(second.job, first.job);

    run(pool().run(soon(), age_keys_query));
    const auto third = run(store_.submit(ann_, request, generous_, soon()));
    EXPECT_EQ(third.decided, submission_result::outcome::accepted);
    EXPECT_NE(third.job, second.job);
}

/// One link of a list under a key.
submission of_list(const char* key, const char* request_hash, std::int32_t position) {
    return {
        .url = link,
        .idempotency_key = key,
        .list = list_element{.request_hash = request_hash, .position = position}};
}

TEST_F(JobRepetition, AKeyOfAListConflictsWithLinksAndOtherLists) {
    using outcome = submission_result::outcome;
    const auto decided = [this](account_id by, submission request) {
        return run(store_.submit(by, std::move(request), generous_, soon())).decided;
    };
    const auto first = of_list("k", "aa", 0);
    EXPECT_EQ(decided(ann_, first), outcome::accepted);
    EXPECT_EQ(decided(ann_, first), outcome::repeated);
    EXPECT_EQ(decided(ann_, of_list("k", "aa", 1)), outcome::accepted) << "the rest of the list";
    EXPECT_EQ(decided(ann_, of_list("k", "bb", 0)), outcome::key_of_another_link);
    EXPECT_EQ(decided(ann_, of_list("k", "bb", 2)), outcome::key_of_another_link);
    const submission single{.url = link, .idempotency_key = "k"};
    EXPECT_EQ(decided(ann_, single), outcome::key_of_another_link);
    EXPECT_EQ(decided(bob_, single), outcome::accepted) << "keys belong to an account";
    EXPECT_EQ(decided(bob_, first), outcome::key_of_another_link);
    EXPECT_EQ(decided(bob_, of_list("l", "aa", 0)), outcome::accepted);
    // In one statement, each gets its own answer.
    const std::vector<callers_submission> together{
        {.caller = ann_, .request = {.url = link}},
        {.caller = ann_, .request = single},
        {.caller = ann_, .request = first},
        {.caller = bob_, .request = {.url = link, .idempotency_key = "free"}},
        {.caller = bob_, .request = of_list("free", "aa", 0)}};
    const auto all = run(store_.submit_all(together, generous_, soon()));
    ASSERT_EQ(all.size(), 5U);
    EXPECT_EQ(all[0]->decided, outcome::accepted);
    EXPECT_EQ(all[1]->decided, outcome::key_of_another_link);
    EXPECT_EQ(all[2]->decided, outcome::repeated);
    EXPECT_EQ(all[3]->decided, outcome::accepted);
    EXPECT_EQ(all[4]->decided, outcome::key_of_another_link);
    // For a day.
    run(pool().run(soon(), age_keys_query));
    EXPECT_EQ(decided(ann_, single), outcome::accepted);
}

// Goal: during an upgrade, a repeated submission gets its job from either release. The statements
// are those of the previous release.
TEST_F(JobRepetition, KeysOfTheLastReleaseAreRecognized) {
    using outcome = submission_result::outcome;
    const db::query store_query{"test.store_earlier_key", R"sql(
        INSERT INTO idempotency_key (account_id, key, job_id) VALUES ($1, $2, $3))sql"};
    const auto decide = [this](submission request) {
        return run(store_.submit(ann_, std::move(request), generous_, soon()));
    };
    const auto single = submitted(ann_);
    run(pool().run(soon(), store_query, ann_, "k-1", single));
    const auto repeated = decide({.url = link, .idempotency_key = "k-1"});
    EXPECT_EQ(repeated.decided, outcome::repeated);
    EXPECT_EQ(repeated.job, single);
    const submission other{.url = "https://www.instagram.com/reel/x/", .idempotency_key = "k-1"};
    EXPECT_EQ(decide(other).decided, outcome::key_of_another_link);
    EXPECT_EQ(decide(of_list("k-1", "aa", 0)).decided, outcome::key_of_another_link);

    const auto element = submitted(ann_);
    run(pool().run(
        soon(), store_query, ann_, "urls a330395cc0a53ad1207736546afff473 aa 1", element));
    EXPECT_EQ(decide(of_list("list", "aa", 1)).job, element);
    EXPECT_EQ(decide(of_list("list", "aa", 0)).decided, outcome::accepted);
    EXPECT_EQ(decide(of_list("list", "bb", 1)).decided, outcome::key_of_another_link);
    EXPECT_EQ(
        decide({.url = link, .idempotency_key = "list"}).decided, outcome::key_of_another_link);
}

TEST_F(JobRepetition, DaemonsOfTheLastReleaseShareTheKeys) {
    const db::query submit_query{"test.submit_as_before", R"sql(
        SELECT outcome, coalesce(job_id, 0) AS job_id
          FROM submit_jobs(ARRAY[$1::bigint], ARRAY[$2], ARRAY[false], ARRAY[$3], ARRAY[false],
                           ARRAY[NULL::text], ARRAY[$4::text], ARRAY['urls f0 '], ARRAY[$5::text],
                           100, 100))sql"};
    const auto submit = [&](const char* key, std::optional<const char*> list_key) {
        const std::optional<const char*> own = list_key ? std::optional{"urls f0 aa "} : list_key;
        const auto rows = run(pool().run(soon(), submit_query, ann_, link, key, list_key, own));
        const auto row = rows.one();
        return std::pair{row.as<std::string>("outcome"), job_id{row.as<std::int64_t>("job_id")}};
    };
    const auto single = submit("k", std::nullopt);
    EXPECT_EQ(single.first, "admitted");
    const auto again =
        run(store_.submit(ann_, {.url = link, .idempotency_key = "k"}, generous_, soon()));
    EXPECT_EQ(again.job, single.second);
    EXPECT_EQ(submit("urls f0 aa 0", "k").first, "key_of_another_link");

    const auto element = submit("urls f0 aa 1", "list");
    EXPECT_EQ(element.first, "admitted");
    EXPECT_EQ(
        run(store_.submit(ann_, of_list("list", "aa", 1), generous_, soon())).job, element.second);
    EXPECT_EQ(submit("urls f0 aa 1", "list").first, "repeated");
}

TEST_F(JobRepetition, ASubmissionDeletesABoundedNumberOfExpiredKeys) {
    const db::query add_expired_query{"test.add_expired_keys", R"sql(
        INSERT INTO submission_key (account_id, key, position, request_hash, job_id, created_at)
        SELECT $1, 'old-' || number, 0, 'x', $2,
               now() - interval '2 days' + number * interval '1 second'
          FROM generate_series(1, 2500) AS number)sql"};
    const db::query expired_query{"test.expired_keys", R"sql(
        SELECT count(*) AS left_over FROM submission_key
         WHERE created_at < now() - interval '1 day')sql"};
    run(pool().run(soon(), add_expired_query, ann_, submitted(ann_)));
    const auto left_after = [&](const char* key) {
        const submission request{.url = link, .idempotency_key = key};
        const auto decision = run(store_.submit(ann_, request, generous_, soon()));
        EXPECT_EQ(decision.decided, submission_result::outcome::accepted);
        const auto found = run(pool().run(soon(), expired_query));
        return found.one().as<std::int64_t>("left_over");
    };
    EXPECT_EQ(left_after("new"), 1500);
    EXPECT_EQ(left_after("old-2500"), 499) << "an expired key is free, deleted or not";
    EXPECT_EQ(left_after("newer"), 0);
}

TEST_F(JobRepetition, ConcurrentSubmissionsWithOneKeyAreOneJob) {
    std::vector<std::future<submission_result>> answers;
    for (int i = 0; i < 20; ++i) {
        answers.push_back(asio::co_spawn(
            loop().context(),
            store_.submit(ann_, {.url = link, .idempotency_key = "k"}, default_limits{}, soon()),
            asio::use_future));
    }
    int accepted = 0;
    std::vector<std::int64_t> ids;
    for (auto& answer : answers) {
        loop().wait_for(answer);
        const auto decision = answer.get();
        accepted += decision.decided == submission_result::outcome::accepted ? 1 : 0;
        ids.push_back(decision.job.value);
    }
    EXPECT_EQ(accepted, 1);
    EXPECT_THAT(ids, ::testing::Each(ids.front()));
}

TEST_F(JobRepetition, ReusesOnlyTheAccountsAnalysesOfTheLastDay) {
    const completed ended{.result = R"({"a":1})", .post_key = "DYa0IXPgnP5", .analyzer = "local/1"};
    EXPECT_GT(submitted(ann_).value, 0);
    ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    const auto look = [this](account_id who, const char* post, std::string analyzer) {
        return run(store_.find_earlier_analysis(who, post, {std::move(analyzer)}, soon()));
    };
    const auto found = look(ann_, "DYa0IXPgnP5", "local/1");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->result, R"({"a":1})");
    EXPECT_FALSE(look(bob_, "DYa0IXPgnP5", "local/1"));
    EXPECT_FALSE(look(ann_, "DYa0IXPgnP5#2", "local/1"));
    EXPECT_FALSE(look(ann_, "DYa0IXPgnP5", "local/2"));

    // A copy keeps the time of the original analysis.
    auto copy = ended;
    copy.analyzed_at = found->analyzed_at;
    EXPECT_GT(submitted(ann_).value, 0);
    ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), copy, soon())));
    EXPECT_EQ(look(ann_, "DYa0IXPgnP5", "local/1")->analyzed_at, found->analyzed_at);
    run(pool().run(soon(), age_analyses_query));
    EXPECT_FALSE(look(ann_, "DYa0IXPgnP5", "local/1"));
}

TEST_F(JobRepetition, ReusesTheAnalysisOfTheFirstAnalyzerThatHasOne) {
    completed ended{.result = R"({"a":1})", .post_key = "DYa0IXPgnP5", .analyzer = "openai/1"};
    const auto look = [this] {
        const std::vector<std::string> names{"gemini/1", "openai/1"};
        return run(store_.find_earlier_analysis(ann_, "DYa0IXPgnP5", names, soon()));
    };
    const auto analyze = [&](const char* analyzer) {
        ended.analyzer = analyzer;
        EXPECT_GT(submitted(ann_).value, 0);
        ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    };
    EXPECT_FALSE(look());
    analyze("openai/1");
    EXPECT_EQ(look().value().analyzer, "openai/1");
    analyze("gemini/1");
    EXPECT_EQ(look().value().analyzer, "gemini/1");
    analyze("openai/1");
    analyze("local/1");
    EXPECT_EQ(look().value().analyzer, "gemini/1");
}

TEST_F(JobRepetition, OneJobOfAnAccountAnalysesAPostAtATime) {
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_GT(submitted(bob_).value, 0);
    run(store_.submit(ann_, {.url = link, .fresh = true}, generous_, soon()));
    auto jobs = claimed(4);
    ASSERT_EQ(jobs.size(), 4U);
    std::sort(jobs.begin(), jobs.end(), [](const claimed_job& left, const claimed_job& right) {
        return left.id < right.id;
    });
    const auto begins = [this](const claimed_job& job, const char* analyzer = "openai/1") {
        const auto start = run(store_.begin_post(job, "DYa0IXPgnP5", analyzer, soon()));
        return start == post_start::begun;
    };
    EXPECT_TRUE(begins(jobs[0]));
    EXPECT_TRUE(begins(jobs[0])) << "its next attempt";
    EXPECT_FALSE(begins(jobs[1]));
    EXPECT_TRUE(begins(jobs[2])) << "another account";
    EXPECT_TRUE(begins(jobs[3])) << "a fresh analysis is requested";
    EXPECT_TRUE(begins(jobs[1], "openai/2")) << "another analyzer";

    // The first ones ended without a result: the next one is analysed.
    const failed over{job_error_code::unavailable, "x"};
    ASSERT_TRUE(run(queue_.report(lease_of(jobs[0]), over, soon())));
    ASSERT_TRUE(run(queue_.report(lease_of(jobs[3]), over, soon())));
    EXPECT_TRUE(begins(jobs[1]));
}

TEST_F(JobRepetition, TheReusePolicyReachesTheWorker) {
    run(store_.submit(ann_, {.url = link, .fresh = true}, generous_, soon()));
    EXPECT_TRUE(claimed(1).at(0).fresh);
    EXPECT_GT(submitted(ann_).value, 0);
    EXPECT_FALSE(claimed(1).at(0).fresh);
}

}  // namespace
}  // namespace reelsd::jobs
