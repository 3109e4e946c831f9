#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <gmock/gmock.h>

namespace reelsd::usage {
namespace {

using namespace std::chrono_literals;
using std::chrono::year_month_day;
using test::database_test;

class UsageStore : public test::database_test {
protected:
    void SetUp() override {
        database_test::SetUp();
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
        bob_ = run(accounts.create("bob@example.com", accounts::role::member, soon())).value();
    }
    void book(const std::string& values) {
        const auto booked = db::run_script(
            connection_string(),
            "INSERT INTO model_call (account_id, job_id, number, model, called_at, prompt_tokens,"
            " output_tokens, cost_usd) VALUES " +
                values,
            soon());
        ASSERT_TRUE(booked) << booked.error().to_string();
    }
    [[nodiscard]] report read(account_id who, period during = {}) {
        return run(store_.read(who, during, soon()));
    }

    usage_store store_{pool()};
    account_id ann_;
    account_id bob_;
};

TEST_F(UsageStore, NoUsageIsZero) {
    const auto nothing = read(ann_);
    EXPECT_EQ(nothing.total.calls, 0);
    EXPECT_EQ(nothing.total.total_tokens(), 0);
    EXPECT_EQ(nothing.total.cost_usd, "0");
    EXPECT_TRUE(nothing.by_model.empty());
    EXPECT_TRUE(nothing.by_day.empty());
}

// Goal: sums are exact where binary floating point is not, and the three groupings agree.
TEST_F(UsageStore, AddsUpExactlyByModelAndDay) {
    const auto ann = std::to_string(ann_.value);
    book(
        "(" + ann + ", 1, 1, 'small', '2026-05-21T23:59:59Z', 10, 1, 0.1)," +  //
        "(" + ann + ", 1, 2, 'small', '2026-05-22T00:00:00Z', 20, 2, 0.2)," + "(" + ann +
        ", 2, 1, 'large', '2026-05-22T12:00:00Z', 1000, 300, 0.000000000001)," + "(" +
        std::to_string(bob_.value) + ", 3, 1, 'large', '2026-05-22T12:00:00Z', 5, 5, 9)");
    const auto all = read(ann_);
    EXPECT_EQ(all.total.calls, 3);
    EXPECT_EQ(all.total.prompt_tokens, 1030);
    EXPECT_EQ(all.total.output_tokens, 303);
    EXPECT_EQ(all.total.total_tokens(), 1333);
    EXPECT_EQ(all.total.cost_usd, "0.300000000001");
    ASSERT_EQ(all.by_model.size(), 2U);
    EXPECT_EQ(all.by_model[0].model, "small");
    EXPECT_EQ(all.by_model[0].used.cost_usd, "0.3");
    EXPECT_EQ(all.by_model[0].used.calls, 2);
    EXPECT_EQ(all.by_model[1].model, "large");
    ASSERT_EQ(all.by_day.size(), 2U);
    EXPECT_EQ(all.by_day[0].date, "2026-05-21");
    EXPECT_EQ(all.by_day[0].used.cost_usd, "0.1");
    EXPECT_EQ(all.by_day[1].date, "2026-05-22");
    EXPECT_EQ(all.by_day[1].used.calls, 2);
}

TEST_F(UsageStore, PeriodsAreInclusiveDaysInUtc) {
    const auto ann = std::to_string(ann_.value);
    book(
        "(" + ann + ", 1, 1, 'm', '2026-05-21T23:59:59.999Z', 1, 0, 0)," +  //
        "(" + ann + ", 2, 1, 'm', '2026-05-22T00:00:00Z', 2, 0, 0)," + "(" + ann +
        ", 3, 1, 'm', '2026-05-22T23:59:59.999Z', 4, 0, 0)," + "(" + ann +
        ", 4, 1, 'm', '2026-05-23T00:00:00Z', 8, 0, 0)");
    constexpr auto day = year_month_day{2026y / 5 / 22};
    EXPECT_EQ(read(ann_, {.from = day, .to = day}).total.prompt_tokens, 6);
    EXPECT_EQ(read(ann_, {.from = day, .to = {}}).total.prompt_tokens, 14);
    EXPECT_EQ(read(ann_, {.from = {}, .to = day}).total.prompt_tokens, 7);
    EXPECT_EQ(
        read(ann_, {.from = year_month_day{1y / 1 / 1}, .to = year_month_day{9999y / 12 / 31}})
            .total.prompt_tokens,
        15);
}

TEST_F(UsageStore, HasARowForEachDayProviderAndModel) {
    const auto ann = std::to_string(ann_.value);
    book(
        "(" + ann + ", 1, 1, 'small', '2026-05-21T23:59:59Z', 10, 1, 0.1)," +  //
        "(" + ann + ", 1, 2, 'small', '2026-05-22T00:00:00Z', 20, 2, 0.2)," + "(" + ann +
        ", 2, 1, 'small', '2026-05-22T12:00:00Z', 30, 3, NULL)," + "(" + ann +
        ", 2, 2, 'large', '2026-05-22T12:00:00Z', 1000, 300, NULL)," + "(" + ann +
        ", 3, 0, 'own', '2026-05-23T12:00:00Z', 0, 0, 0)," + "(" + std::to_string(bob_.value) +
        ", 3, 1, 'large', '2026-05-22T12:00:00Z', 5, 5, 9)");
    const auto days = run(store_.read_days(ann_, {}, soon()));
    std::vector<std::string> lines;
    for (const auto& sums : days) {
        lines.push_back(
            sums.date + " " + sums.provider + " " + sums.model + " " +
            std::to_string(sums.used.calls) + " " + std::to_string(sums.used.total_tokens()) + " " +
            sums.used.cost_usd.value_or("unknown") + " " +
            std::to_string(sums.used.unpriced_calls));
    }
    EXPECT_EQ(
        lines,
        (std::vector<std::string>{
            "2026-05-21 local small 1 11 0.1 0",
            "2026-05-22 local large 1 1300 unknown 1",
            "2026-05-22 local small 2 55 0.2 1",
            "2026-05-23 local own 1 0 0 0"}));
    constexpr auto day = year_month_day{2026y / 5 / 23};
    EXPECT_EQ(run(store_.read_days(ann_, {.from = day, .to = day}, soon())).size(), 1U);
    EXPECT_EQ(run(store_.read_days(ann_, {.from = {}, .to = day}, soon())).size(), 4U);
}

// Goal: analyses by this machine are counted once, cost nothing, and outlive their reel.
TEST_F(UsageStore, AnUnpaidAnalysisIsACallWithoutTokens) {
    jobs::job_store jobs{pool()};
    jobs::queue_store queue{pool()};
    const jobs::submission request{.url = "https://www.instagram.com/reel/DYa0IXPgnP5/"};
    const auto job = run(jobs.submit(ann_, request, {}, soon())).job;
    const auto held = run(queue.claim({.worker = "w", .jobs_max = 1, .lease = 60s}, soon())).at(0);
    const jobs::completed ended{.result = "{}", .unpaid_model = "reelsd-local-1"};
    ASSERT_TRUE(run(queue.report({held.id, held.claim}, ended, soon())));
    EXPECT_TRUE(run(jobs.remove(ann_, job, soon())));
    const auto used = read(ann_);
    EXPECT_EQ(used.total.calls, 1);
    EXPECT_EQ(used.total.total_tokens(), 0);
    EXPECT_EQ(used.total.cost_usd, "0");
    ASSERT_EQ(used.by_model.size(), 1U);
    EXPECT_EQ(used.by_model[0].model, "reelsd-local-1");
    EXPECT_EQ(used.by_day.size(), 1U);
}

}  // namespace
}  // namespace reelsd::usage
