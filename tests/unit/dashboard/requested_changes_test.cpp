#include "dashboard/resources.hpp"
#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

namespace reelsd::dashboard {
namespace {

accounts::account_changes changes_of(const char* text) {
    return requested_changes(json::parse(text)).value();
}

TEST(RequestedChanges, MissingMembersChangeNothing) {
    const auto none = changes_of("{}");
    EXPECT_FALSE(none.disabled);
    EXPECT_FALSE(none.is_admin);
    EXPECT_FALSE(none.concurrent_jobs);
    EXPECT_FALSE(none.monthly_budget_usd);
}

TEST(RequestedChanges, NullRemovesALimit) {
    const auto some = changes_of(
        R"({"disabled": true, "is_admin": false, "submissions_per_minute": 5,
            "concurrent_jobs": null, "monthly_budget_usd": null})");
    EXPECT_EQ(some.disabled, true);
    EXPECT_EQ(some.is_admin, false);
    EXPECT_EQ(some.submissions_per_minute, std::optional{std::optional{5}});
    ASSERT_TRUE(some.concurrent_jobs);
    EXPECT_FALSE(*some.concurrent_jobs);
    ASSERT_TRUE(some.monthly_budget_usd);
    EXPECT_FALSE(*some.monthly_budget_usd);
}

TEST(RequestedChanges, ABudgetIsExact) {
    EXPECT_EQ(**changes_of(R"({"monthly_budget_usd": 0.1})").monthly_budget_usd, "0.100000");
    EXPECT_EQ(**changes_of(R"({"monthly_budget_usd": 0})").monthly_budget_usd, "0.000000");
    EXPECT_EQ(
        **changes_of(R"({"monthly_budget_usd": 12345678.91})").monthly_budget_usd,
        "12345678.910000");
}

TEST(RequestedChanges, InvalidMembersAreNamed) {
    struct test_case {
        const char* body;
        const char* message;
    };
    const test_case cases[] = {
        {R"({"disabled": 1})", "disabled must be true or false"},
        {R"({"is_admin": null})", "is_admin must be true or false"},
        {R"({"concurrent_jobs": 0})",
         "concurrent_jobs must be a whole number from 1 to 1000000, or null"},
        {R"({"concurrent_jobs": 1000001})",
         "concurrent_jobs must be a whole number from 1 to 1000000, or null"},
        {R"({"concurrent_jobs": "3"})",
         "concurrent_jobs must be a whole number from 1 to 1000000, or null"},
        {R"({"requests_per_minute": 1.5})",
         "requests_per_minute must be a whole number from 1 to 10000000, or null"},
        {R"({"monthly_budget_usd": -1})",
         "monthly_budget_usd must be a number of dollars from 0 to 1000000000, or null"},
        {R"({"monthly_budget_usd": "1"})",
         "monthly_budget_usd must be a number of dollars from 0 to 1000000000, or null"},
    };
    for (const auto& expected : cases) {
        const auto changes = requested_changes(json::parse(expected.body));
        ASSERT_FALSE(changes) << expected.body;
        EXPECT_EQ(changes.error().code(), errc::invalid_argument);
        EXPECT_EQ(changes.error().detail(), expected.message);
    }
}

}  // namespace
}  // namespace reelsd::dashboard
