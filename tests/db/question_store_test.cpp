// Goal: questions and submissions share one bucket, and a refusal takes nothing from it.
#include "job_store_fixture.hpp"
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>

#include <gmock/gmock.h>

namespace reelsd::questions {
namespace {

constexpr db::query poor_query{"test.poor", R"sql(
    UPDATE account SET monthly_budget_usd = 0.5 WHERE id = $1)sql"};

class QuestionStore : public jobs::job_store_test {
protected:
    std::optional<refusal> begin(account_id who) { return run(questions_.begin(who, 3, soon())); }

    question_store questions_{pool()};
    usage::call_ledger_store ledger_{pool()};
};

TEST_F(QuestionStore, TakesTheSubmissionsOfTheAccount) {
    const jobs::default_limits few{.submissions_per_minute = 3, .concurrent_jobs = 10};
    EXPECT_EQ(
        run(store_.submit(ann_, {.url = jobs::link}, few, soon())).decided,
        jobs::submission_result::outcome::accepted);
    EXPECT_FALSE(begin(ann_));
    EXPECT_FALSE(begin(ann_));
    for (int times = 0; times < 3; ++times) {
        const auto refused = begin(ann_);
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->why, refusal::reason::rate_limited);
        EXPECT_EQ(refused->text, "limit of 3 submissions per minute reached");
        EXPECT_GE(refused->retry_after, 1);
        EXPECT_LE(refused->retry_after, 20) << "refusals take no tokens";
    }
    EXPECT_EQ(
        run(store_.submit(ann_, {.url = jobs::link}, few, soon())).decided,
        jobs::submission_result::outcome::rate_limited);
    EXPECT_FALSE(begin(bob_));
}

TEST_F(QuestionStore, ChecksTheBudgetBeforeTheToken) {
    run(pool().run(soon(), poor_query, ann_));
    const auto call = run(ledger_.begin_for_account(
        {.account = ann_,
         .purpose = usage::call_purpose::ask,
         .provider = "openai",
         .model = "small",
         .booking_key = "k"},
        soon()));
    ASSERT_TRUE(call);
    run(ledger_.settle(call.value(), {.cost_picodollars = 500'000'000'000}, soon()));
    for (int times = 0; times < 5; ++times) {
        const auto refused = begin(ann_);
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->why, refusal::reason::budget_spent);
        EXPECT_EQ(refused->text, "monthly budget of $0.50 is spent");
        EXPECT_GT(refused->retry_after, 0);
    }
}

}  // namespace
}  // namespace reelsd::questions
