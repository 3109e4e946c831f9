#include "api/usage.hpp"

#include "api/usage_view.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

TEST(RequestedPeriod, TakesDaysOfTheCalendar) {
    const auto both = requested_period("2026-02-28", "2028-02-29");
    ASSERT_TRUE(both);
    EXPECT_EQ(both->from, std::chrono::year_month_day(std::chrono::year{2026} / 2 / 28));
    EXPECT_EQ(both->to, std::chrono::year_month_day(std::chrono::year{2028} / 2 / 29));
    EXPECT_FALSE(requested_period(std::nullopt, std::nullopt)->from);
    EXPECT_TRUE(requested_period("2026-01-01", "2026-01-01"));
    for (const char* text :
         {"",
          "2026-2-28",
          "2026-02-29",
          "2026-13-01",
          "2026-00-01",
          "2026-01-00",
          "0000-01-01",
          "20260101",
          "2026/01/01",
          "2026-01-01T00:00:00Z",
          "-026-01-01",
          "2026-+1-01",
          "today"}) {
        const auto period = requested_period(text, std::nullopt);
        ASSERT_FALSE(period) << text;
        EXPECT_EQ(period.error().detail(), "from must be a date as YYYY-MM-DD") << text;
    }
    EXPECT_EQ(
        requested_period(std::nullopt, "x").error().detail(), "to must be a date as YYYY-MM-DD");
    EXPECT_EQ(
        requested_period("2026-01-02", "2026-01-01").error().detail(), "from must not be after to");
}

// Goal: the answer is as the contract shows it, with costs digit by digit.
TEST(UsageView, WritesCostsAsExactNumbers) {
    const usage::sums used{
        .calls = 34, .prompt_tokens = 312400, .output_tokens = 28600, .cost_usd = "0.16522"};
    const usage::report report{
        .total = used,
        .by_model = {{.model = "gemini \"x\"", .used = used}},
        .by_day = {{.date = "2026-05-22", .used = used}, {.date = "2026-05-23", .used = {}}}};
    EXPECT_EQ(
        usage_view(report),
        R"({"total_cost_usd":0.16522,"total_prompt_tokens":312400,"total_output_tokens":28600,)"
        R"("total_tokens":341000,"total_calls":34,)"
        R"("by_model":[{"model":"gemini \"x\"","calls":34,"prompt_tokens":312400,)"
        R"("output_tokens":28600,"total_tokens":341000,"cost_usd":0.16522}],)"
        R"("by_day":[{"date":"2026-05-22","calls":34,"total_tokens":341000,"cost_usd":0.16522},)"
        R"({"date":"2026-05-23","calls":0,"total_tokens":0,"cost_usd":0}]})");
    EXPECT_EQ(
        usage_view({}),
        R"({"total_cost_usd":0,"total_prompt_tokens":0,"total_output_tokens":0,)"
        R"("total_tokens":0,"total_calls":0,"by_model":[],"by_day":[]})");
}

TEST(ReelUsageView, ShowsEachCallAndWhatIsKnownOfItsCost) {
    using namespace std::chrono_literals;
    const usage::reel_report report{
        .calls =
            {{.number = 1,
              .purpose = "analysis",
              .provider = "gemini",
              .model = "flash \"x\"",
              .called_at = time_point{1779444000s},
              .prompt_tokens = 28950,
              .cached_prompt_tokens = 100,
              .output_tokens = 1850,
              .thinking_tokens = 640,
              .cost_usd = "0.02865"},
             {.purpose = "embedding",
              .provider = "openai",
              .model = "small",
              .called_at = time_point{1779444001s}},
             {.number = 2,
              .purpose = "analysis",
              .provider = "gemini",
              .model = "flash",
              .called_at = time_point{1779444002s},
              .is_under_way = true}},
        .unpriced_calls = 1,
        .cost_usd = "0.02865"};
    EXPECT_EQ(
        reel_usage_view(report),
        R"({"calls":[{"number":1,"purpose":"analysis","provider":"gemini","model":"flash \"x\"",)"
        R"("called_at":"2026-05-22T10:00:00Z","prompt_tokens":28950,"cached_prompt_tokens":100,)"
        R"("output_tokens":1850,"thinking_tokens":640,"cost_usd":0.02865,"is_under_way":false},)"
        R"({"number":null,"purpose":"embedding","provider":"openai","model":"small",)"
        R"("called_at":"2026-05-22T10:00:01Z","prompt_tokens":0,"cached_prompt_tokens":0,)"
        R"("output_tokens":0,"thinking_tokens":0,"cost_usd":null,"is_under_way":false},)"
        R"({"number":2,"purpose":"analysis","provider":"gemini","model":"flash",)"
        R"("called_at":"2026-05-22T10:00:02Z","prompt_tokens":0,"cached_prompt_tokens":0,)"
        R"("output_tokens":0,"thinking_tokens":0,"cost_usd":null,"is_under_way":true}],)"
        R"("total_cost_usd":0.02865,"unpriced_calls":1})");
    EXPECT_EQ(reel_usage_view({}), R"({"calls":[],"total_cost_usd":0})");
    EXPECT_EQ(
        reel_usage_view({.calls = {}, .unpriced_calls = 2, .cost_usd = std::nullopt}),
        R"({"calls":[],"total_cost_usd":null,"unpriced_calls":2})");
}

}  // namespace
}  // namespace reelsd::api
