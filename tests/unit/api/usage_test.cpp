#include "api/resources.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

TEST(RequestedPeriod, AcceptsCalendarDays) {
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

// Goal: the answer has the documented format, with exact costs.
TEST(UsageView, WritesCostsAsExactNumbers) {
    const usage::sums used{
        .calls = 34,
        .prompt_tokens = 312400,
        .output_tokens = 28600,
        .audio_seconds = "12.345",
        .cost_usd = "0.16522"};
    const usage::report report{
        .total = used,
        .by_model = {{.model = "gemini \"x\"", .purpose = "ask", .used = used}},
        .by_purpose = {{.purpose = "ask", .used = used}},
        .by_day = {{.date = "2026-05-22", .used = used}, {.date = "2026-05-23", .reels = 2}}};
    EXPECT_EQ(
        usage_view(report),
        R"({"total_cost_usd":0.16522,"total_prompt_tokens":312400,"total_output_tokens":28600,)"
        R"("total_tokens":341000,"total_calls":34,"total_audio_seconds":12.345,)"
        R"("by_model":[{"model":"gemini \"x\"","purpose":"ask","calls":34,"prompt_tokens":312400,)"
        R"("output_tokens":28600,"total_tokens":341000,)"
        R"("audio_seconds":12.345,"cost_usd":0.16522}],)"
        R"("by_purpose":[{"purpose":"ask","calls":34,"prompt_tokens":312400,)"
        R"("output_tokens":28600,"total_tokens":341000,)"
        R"("audio_seconds":12.345,"cost_usd":0.16522}],)"
        R"("by_day":[{"date":"2026-05-22","reels":0,"calls":34,"total_tokens":341000,)"
        R"("audio_seconds":12.345,"cost_usd":0.16522},)"
        R"({"date":"2026-05-23","reels":2,"calls":0,"total_tokens":0,)"
        R"("cost_usd":0}]})");
    EXPECT_EQ(
        usage_view({}),
        R"({"total_cost_usd":0,"total_prompt_tokens":0,"total_output_tokens":0,)"
        R"("total_tokens":0,"total_calls":0,"by_model":[],)"
        R"("by_purpose":[],"by_day":[]})");
}

const std::vector<usage::daily_model_sums> two_days{
    {.date = "2026-05-22",
     .provider = "gemini",
     .model = "flash",
     .purpose = "ask",
     .used =
         {.calls = 3,
          .prompt_tokens = 20,
          .output_tokens = 2,
          .unpriced_calls = 1,
          .cost_usd = "0.16522"}},
    {.date = "2026-05-23",
     .provider = "openai",
     .model = "=HYPERLINK(\"x\"), y",
     .purpose = "analysis",
     .used = {.calls = 1, .unpriced_calls = 1, .cost_usd = std::nullopt}}};

TEST(UsageDaysView, HasARowForEachDayModelAndPurpose) {
    EXPECT_EQ(usage_days_view({}), "[]");
    EXPECT_EQ(
        usage_days_view(two_days),
        R"([{"date":"2026-05-22","provider":"gemini","model":"flash","purpose":"ask",)"
        R"("calls":3,"prompt_tokens":20,"output_tokens":2,"total_tokens":22,)"
        R"("cost_usd":0.16522,)"
        R"("unpriced_calls":1},)"
        R"({"date":"2026-05-23","provider":"openai","model":"=HYPERLINK(\"x\"), y",)"
        R"("purpose":"analysis","calls":1,"prompt_tokens":0,"output_tokens":0,"total_tokens":0,)"
        R"("cost_usd":null,)"
        R"("unpriced_calls":1}])");
}

TEST(UsageCsv, HasTheRowsOfTheJson) {
    const std::string header =
        "date,provider,model,calls,prompt_tokens,output_tokens,total_tokens,cost_usd,"
        "unpriced_calls,purpose,audio_seconds\r\n";
    EXPECT_EQ(usage_csv({}), header);
    EXPECT_EQ(
        usage_csv(two_days),
        header +
            "2026-05-22,gemini,flash,3,20,2,22,0.16522,1,ask,0\r\n"
            "2026-05-23,openai,\"'=HYPERLINK(\"\"x\"\"), y\",1,0,0,0,,1,analysis,0\r\n");
}

TEST(CsvTextField, IsQuotedIfNecessaryAndNeverAFormula) {
    EXPECT_EQ(csv_text_field(""), "");
    EXPECT_EQ(csv_text_field("gemini-2.5 flash"), "gemini-2.5 flash");
    EXPECT_EQ(csv_text_field("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_text_field("a\"\"b"), "\"a\"\"\"\"b\"");
    EXPECT_EQ(csv_text_field("a\r\nb"), "\"a\r\nb\"");
    EXPECT_EQ(csv_text_field("=1+1"), "'=1+1");
    EXPECT_EQ(csv_text_field("+1"), "'+1");
    EXPECT_EQ(csv_text_field("-1"), "'-1");
    EXPECT_EQ(csv_text_field("@SUM(A1)"), "'@SUM(A1)");
    EXPECT_EQ(csv_text_field(" \t=1"), "' \t=1");
    EXPECT_EQ(csv_text_field("\r=1"), "\"'\r=1\"");
    EXPECT_EQ(csv_text_field("a=b"), "a=b");
}

TEST(ReelUsageView, ListsEachCallWithItsKnownCost) {
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
        R"("output_tokens":1850,"thinking_tokens":640,)"
        R"("cost_usd":0.02865,"is_under_way":false},)"
        R"({"number":null,"purpose":"embedding","provider":"openai","model":"small",)"
        R"("called_at":"2026-05-22T10:00:01Z","prompt_tokens":0,"cached_prompt_tokens":0,)"
        R"("output_tokens":0,"thinking_tokens":0,)"
        R"("cost_usd":null,"is_under_way":false},)"
        R"({"number":2,"purpose":"analysis","provider":"gemini","model":"flash",)"
        R"("called_at":"2026-05-22T10:00:02Z","prompt_tokens":0,"cached_prompt_tokens":0,)"
        R"("output_tokens":0,"thinking_tokens":0,)"
        R"("cost_usd":null,"is_under_way":true}],)"
        R"("total_cost_usd":0.02865,"unpriced_calls":1})");
    EXPECT_EQ(reel_usage_view({}), R"({"calls":[],"total_cost_usd":0})");
    EXPECT_EQ(
        reel_usage_view({.calls = {}, .unpriced_calls = 2, .cost_usd = std::nullopt}),
        R"({"calls":[],"total_cost_usd":null,"unpriced_calls":2})");
}

TEST(BudgetView, OmitsMissingValues) {
    EXPECT_EQ(
        budget_view(
            {.monthly_budget_usd = "5",
             .month = "2026-11",
             .spent_this_month_usd = "1.234567",
             .spent_today_usd = "0.2",
             .estimated_this_month_usd = "0.04",
             .unpriced_calls_this_month = 3}),
        R"({"monthly_budget_usd":5,"spent_this_month_usd":1.234567,"spent_today_usd":0.2,)"
        R"("month":"2026-11","unpriced_calls_this_month":3,"estimated_this_month_usd":0.04})");
    EXPECT_EQ(
        budget_view({.month = "2026-11"}),
        R"({"monthly_budget_usd":null,"spent_this_month_usd":0,"spent_today_usd":0,)"
        R"("month":"2026-11"})");
}

}  // namespace
}  // namespace reelsd::api
