// Goal: when a month's known cost has reached the account's budget, nothing that costs money is
// accepted, and no other account is affected.
#include "job_store_fixture.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace reelsd::jobs {
namespace {

using outcome = submission_result::outcome;

class MonthlyBudget : public job_store_test {
protected:
    void sql(const std::string& statement) {
        const auto done = db::run_script(connection_string(), statement, soon());
        ASSERT_TRUE(done) << done.error().to_string();
    }
    void set_budget(const std::string& dollars) {
        sql("UPDATE account SET monthly_budget_usd = " + dollars +
            " WHERE id = " + std::to_string(ann_.value));
    }
    /// Adds a call of ann's at a time given in SQL.
    void book(const std::string& cost, const std::string& called_at = "now()") {
        sql("INSERT INTO model_call (account_id, job_id, number, model, called_at, cost_usd) VALUES"
            " (" +
            std::to_string(ann_.value) + ", " + std::to_string(++booked_) + ", 1, 'm', " +
            called_at + ", " + cost + ")");
    }
    submission_result submit(submission request, std::optional<account_id> by = {}) {
        return run(store_.submit(by.value_or(ann_), std::move(request), generous_, soon()));
    }
    submission_result submit_paid() { return submit({.url = link, .costs_money = true}); }
    /// A rate limit that does not refill during a test: one in 20 s.
    submission_result submit_paid_of_few() {
        const default_limits few{.submissions_per_minute = 3, .concurrent_jobs = 3};
        return run(store_.submit(ann_, {.url = link, .costs_money = true}, few, soon()));
    }
    usage::budget_report budget() {
        return run(usage::usage_store{pool()}.read_budget(ann_, soon()));
    }

    int booked_ = 0;
};

/// Whole seconds until the next month in UTC.
std::int64_t seconds_to_next_month() {
    const auto now = std::chrono::system_clock::now();
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(now)};
    const auto next = today.year() / today.month() / 1 + std::chrono::months{1};
    return std::chrono::ceil<std::chrono::seconds>(std::chrono::sys_days{next} - now).count();
}

TEST_F(MonthlyBudget, UnsetMeansNoLimit) {
    book("1000000");
    const auto decision = submit_paid();
    EXPECT_EQ(decision.decided, outcome::accepted);
    EXPECT_EQ(decision.monthly_budget_usd, std::nullopt);
}

TEST_F(MonthlyBudget, IsSpentOnceTheKnownCostHasReachedIt) {
    set_budget("5.00");
    book("4.999999999999");
    EXPECT_EQ(submit_paid_of_few().decided, outcome::accepted);
    book("0.000000000001");
    const auto before = submit_paid_of_few();
    EXPECT_EQ(before.decided, outcome::budget_spent);
    EXPECT_EQ(before.monthly_budget_usd, "5");
    EXPECT_EQ(before.job.value, 0);
    EXPECT_LE(std::abs(before.retry_after - seconds_to_next_month()), 60);
    EXPECT_GE(before.retry_after, 1);

    // A refusal does not count toward the rate limit and leaves no rows.
    EXPECT_EQ(submit_paid_of_few().rate_remaining, before.rate_remaining);
    EXPECT_EQ(run(store_.list(ann_, {}, soon())).jobs.size(), 1U);
    set_budget("5.01");
    EXPECT_EQ(submit_paid_of_few().decided, outcome::accepted);
}

TEST_F(MonthlyBudget, CountsEstimatesOfUnknownCosts) {
    set_budget("0.10");
    EXPECT_EQ(submit_paid().decided, outcome::accepted);
    book("NULL");
    EXPECT_EQ(submit_paid().decided, outcome::budget_spent) << "10 cents";
}

TEST_F(MonthlyBudget, OfZeroRefusesOnlyPaidWork) {
    set_budget("0");
    EXPECT_EQ(submit_paid().decided, outcome::budget_spent);
    EXPECT_EQ(submit({.url = link, .costs_money = false}).decided, outcome::accepted);
    EXPECT_EQ(submit({.url = link, .costs_money = true}, bob_).decided, outcome::accepted);
}

TEST_F(MonthlyBudget, ResetsEachMonth) {
    set_budget("5");
    book("100", "month_begin(now()) - interval '1 microsecond'");
    EXPECT_EQ(submit_paid().decided, outcome::accepted);
    book("5", "month_begin(now())");
    EXPECT_EQ(submit_paid().decided, outcome::budget_spent);
}

TEST_F(MonthlyBudget, UsesMonthsInUtc) {
    sql(R"(
        SET timezone = 'Pacific/Kiritimati';
        DO $$ BEGIN
            ASSERT month_begin('2026-10-31T23:59:59Z') = '2026-10-01T00:00:00Z';
            ASSERT month_begin('2026-11-01T00:00:00Z') = '2026-11-01T00:00:00Z';
        END $$)");
}

TEST_F(MonthlyBudget, DoesNotRefuseARepeatedSubmission) {
    const submission request{.url = link, .costs_money = true, .idempotency_key = "k"};
    const auto first = submit(request);
    set_budget("0");
    const auto again = submit(request);
    EXPECT_EQ(again.decided, outcome::repeated);
    EXPECT_EQ(again.job, first.job);
    EXPECT_EQ(
        submit({.url = link, .costs_money = true, .idempotency_key = "new"}).decided,
        outcome::budget_spent);
    // A refused key can be reused.
    set_budget("NULL");
    EXPECT_EQ(
        submit({.url = link, .costs_money = true, .idempotency_key = "new"}).decided,
        outcome::accepted);
}

TEST_F(MonthlyBudget, IsCheckedAfterTheRateAndBeforeTheJobLimit) {
    set_budget("0");
    const submission request{.url = link, .costs_money = true};
    const auto decide = [&](default_limits limits) {
        return run(store_.submit(ann_, request, limits, soon())).decided;
    };
    EXPECT_EQ(submit({.url = link, .costs_money = false}).decided, outcome::accepted);
    EXPECT_EQ(
        decide({.submissions_per_minute = 1000, .concurrent_jobs = 1}), outcome::budget_spent);
    sql("UPDATE account SET bucket_tokens = 0, bucket_at = now() + interval '1 hour'");
    EXPECT_EQ(decide({.submissions_per_minute = 1, .concurrent_jobs = 1}), outcome::rate_limited);
}

TEST_F(MonthlyBudget, MustBeANumber) {
    for (const char* wrong : {"-0.01", "'NaN'", "'Infinity'"}) {
        const auto done = db::run_script(
            connection_string(),
            std::string{"UPDATE account SET monthly_budget_usd = "} + wrong,
            soon());
        EXPECT_FALSE(done) << wrong;
    }
}

TEST_F(MonthlyBudget, IsReportedWithTheAmountSpent) {
    auto shown = budget();
    EXPECT_EQ(shown.monthly_budget_usd, std::nullopt);
    EXPECT_EQ(shown.spent_this_month_usd, "0");
    EXPECT_EQ(shown.spent_today_usd, "0");
    EXPECT_EQ(shown.unpriced_calls_this_month, 0);
    EXPECT_EQ(shown.month.size(), 7U);

    set_budget("5.50");
    const std::string today = "date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'";
    book("100", "month_begin(now()) - interval '1 microsecond'");
    book("NULL", "month_begin(now()) - interval '1 microsecond'");
    book("0.1", today);
    book("0.2");
    book("NULL");
    shown = budget();
    EXPECT_EQ(shown.monthly_budget_usd, "5.5");
    EXPECT_EQ(shown.spent_this_month_usd, "0.3");
    EXPECT_EQ(shown.spent_today_usd, "0.3");
    EXPECT_EQ(shown.unpriced_calls_this_month, 1);

    // On the first of a month, yesterday is another month.
    book("1", today + " - interval '1 microsecond'");
    shown = budget();
    EXPECT_EQ(shown.spent_today_usd, "0.3");
    const std::chrono::year_month_day date{
        std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
    EXPECT_EQ(shown.spent_this_month_usd, date.day() == std::chrono::day{1} ? "0.3" : "1.3");
}

/// Calls of models, as budgets decide on them.
class SpentBudget : public MonthlyBudget {
protected:
    result<std::int64_t> begin(const claimed_job& held) {
        return run(ledger_.begin(
            {.job = held.id, .claim = held.claim, .provider = "local", .model = "m"}, soon()));
    }
    result<std::int64_t> begin_embedding(bool is_operators = false) {
        return run(ledger_.begin_for_account(
            {.account = ann_,
             .provider = "local",
             .model = "e",
             .estimated_tokens = 100,
             .is_operators = is_operators,
             .booking_key = usage::new_booking_key()},
            soon()));
    }
    void settle(std::int64_t call, usage::call_usage used) {
        run(ledger_.settle(call, std::move(used), soon()));
    }
    /// Makes unsettled calls count as lost.
    void lose_calls() {
        sql("UPDATE model_call SET called_at = called_at - interval '4 minutes' WHERE settled_at "
            "IS "
            "NULL");
        sql("UPDATE job SET claim = claim + 1 WHERE status = 'processing'");
    }
    bool is_spent() {
        const auto found = run(pool().run(
            soon(), db::query{"test.is_spent", "SELECT budget_is_spent($1) AS is_spent"}, ann_));
        return found.one().as<bool>("is_spent");
    }

    usage::call_ledger_store ledger_{pool()};
};

// Three jobs are accepted before anything is spent; the cost of the first one ends the others.
TEST_F(SpentBudget, EndsJobsThatWereAcceptedBefore) {
    set_budget("1");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(submit_paid().decided, outcome::accepted);
    const auto held = claimed(3);
    settle(begin(held.at(0)).value(), {.prompt_tokens = 1, .cost_picodollars = 999'999'999'999});
    const auto second = begin(held.at(1)).value();
    settle(second, {.prompt_tokens = 1, .cost_picodollars = 1});
    EXPECT_EQ(begin(held.at(2)).error().code(), errc::unauthorized);
    EXPECT_EQ(begin(held.at(0)).error().code(), errc::unauthorized) << "no further call is made";
    set_budget("2");
    EXPECT_TRUE(begin(held.at(2)));
    set_budget("NULL");
    EXPECT_TRUE(begin(held.at(2)));
}

TEST_F(SpentBudget, StopsEmbeddingsExceptThoseOfTheOperator) {
    set_budget("0.001");
    settle(begin_embedding().value(), {.prompt_tokens = 1, .cost_picodollars = 999'999'999});
    settle(begin_embedding(true).value(), {.prompt_tokens = 1, .cost_picodollars = 1'000'000'000});
    EXPECT_TRUE(begin_embedding()) << "the operator's calls do not count";
    EXPECT_EQ(budget().spent_this_month_usd, "0.000999999999");
    accounts::account_store accounts{pool()};
    const auto listed = run(accounts.list({.only = ann_}, soon())).accounts;
    EXPECT_EQ(listed.at(0).spent_this_month_usd, "0.000999999999") << "as on the page Admin";
    settle(begin_embedding().value(), {.prompt_tokens = 1, .cost_picodollars = 1});
    EXPECT_EQ(begin_embedding().error().code(), errc::unauthorized);
    EXPECT_TRUE(begin_embedding(true));
}

TEST_F(SpentBudget, CountsTokensWithoutAPriceAtTheModelsHighestRate) {
    set_budget("1");
    // A cent for 100 tokens, and one for 10.
    settle(begin_embedding().value(), {.prompt_tokens = 100, .cost_picodollars = 10'000'000'000});
    settle(begin_embedding().value(), {.prompt_tokens = 10, .cost_picodollars = 10'000'000'000});
    settle(begin_embedding().value(), {.prompt_tokens = 979});
    EXPECT_FALSE(is_spent()) << "0.999";
    settle(begin_embedding().value(), {.prompt_tokens = 1});
    EXPECT_TRUE(is_spent());
    EXPECT_EQ(budget().estimated_this_month_usd, "0.98");
}

TEST_F(SpentBudget, CountsALostCallAsTheModelsMostExpensive) {
    set_budget("1");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(submit_paid().decided, outcome::accepted);
    const auto held = claimed(2);
    settle(begin(held.at(0)).value(), {.prompt_tokens = 9, .cost_picodollars = 500'000'000'000});
    static_cast<void>(begin(held.at(1)).value());
    EXPECT_FALSE(is_spent()) << "in progress";
    lose_calls();
    EXPECT_TRUE(is_spent());
    EXPECT_EQ(budget().spent_this_month_usd, "0.5");
    EXPECT_EQ(budget().estimated_this_month_usd, "0.5");
}

TEST_F(SpentBudget, CountsALostEmbeddingByItsTokens) {
    set_budget("1");
    settle(begin_embedding().value(), {.prompt_tokens = 1, .cost_picodollars = 10'000'000'000});
    static_cast<void>(begin_embedding().value());
    lose_calls();
    EXPECT_TRUE(is_spent()) << "100 tokens at a cent each";
}

// Such a budget would have no effect: docs/operate/models.md explains how to price a model.
TEST_F(SpentBudget, CountsAModelThatNeverHadAPrice) {
    set_budget("0.10");
    settle(begin_embedding().value(), {.prompt_tokens = 19'999});
    EXPECT_FALSE(is_spent());
    settle(begin_embedding().value(), {.prompt_tokens = 1});
    EXPECT_TRUE(is_spent()) << "5 dollars per million tokens";
}

TEST_F(SpentBudget, IsNotReachedByAFreeModel) {
    set_budget("0.10");
    settle(begin_embedding().value(), {.prompt_tokens = 1'000'000, .cost_picodollars = 0});
    static_cast<void>(begin_embedding().value());
    lose_calls();
    EXPECT_FALSE(is_spent());
}

// A call in progress does not count as a call of unknown cost.
TEST_F(MonthlyBudget, DoesNotCountCallsInProgress) {
    EXPECT_GT(submitted(ann_).value, 0);
    const auto held = claimed(1).at(0);
    sql("INSERT INTO model_call (account_id, job_id, number, claim, model, settled_at) VALUES (" +
        std::to_string(ann_.value) + ", " + std::to_string(held.id.value) + ", 1, " +
        std::to_string(held.claim) + ", 'm', NULL)");
    EXPECT_EQ(budget().unpriced_calls_this_month, 0);
    ASSERT_TRUE(run(queue_.report(lease_of(held), released{}, soon())));
    EXPECT_EQ(budget().unpriced_calls_this_month, 1);
}

}  // namespace
}  // namespace reelsd::jobs
