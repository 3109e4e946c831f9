// Goal: the cost of a call is exact to the picodollar, or absent: a wrong amount is worse.
#include "builders.hpp"
#include <reelsd/model/price_table.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

token_counts text_tokens(std::int64_t prompt, std::int64_t output = 0) {
    return {.prompt = prompt, .output = output};
}

price_table parsed(std::string_view rows) {
    return price_table::parse(R"({"prices":[)" + std::string{rows} + "]}").value();
}

TEST(PriceFrom, DollarsAMillionTokensArePicodollarsAToken) {
    struct test_case {
        const char* text;
        std::optional<std::int64_t> expected;
    };
    const test_case cases[] = {
        {"0", 0},
        {"0.075", 75'000},
        {"3.75", 3'750'000},
        {"12", 12'000'000},
        {"0.000001", 1},
        {"1000000", 1'000'000'000'000},
        // More than a million is a typing error.
        {"1000000.000001", std::nullopt},
        {"9999999", std::nullopt},
        // A seventh decimal would be lost.
        {"0.0000001", std::nullopt},
        {"", std::nullopt},
        {".5", std::nullopt},
        {"5.", std::nullopt},
        {"-1", std::nullopt},
        {"+1", std::nullopt},
        {"1e3", std::nullopt},
        {"1,5", std::nullopt},
        {"1.2.3", std::nullopt},
        {" 1", std::nullopt},
        {"$1", std::nullopt},
        {"nan", std::nullopt},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(price_from(expected.text), expected.expected) << expected.text;
}

TEST(PriceTable, SumsAreExact) {
    // The sum of 0.1, 0.7 and 0.3 as binary fractions would be wrong.
    const auto table = parsed(R"({"model":"m","input":"0.1","cached":"0.7","output":"0.3"})");
    const token_counts used{.prompt = 3'000'001, .cached_prompt = 1'000'000, .output = 7};
    EXPECT_EQ(
        table.cost_of("m", used, testing::october),
        2'000'001LL * 100'000 + 1'000'000LL * 700'000 + 7 * 300'000);
}

TEST(PriceTable, AnotherModelHasNoPrice) {
    const auto table = parsed(R"({"model":"m","input":"1","output":"1"})");
    EXPECT_EQ(table.cost_of("m-lite", text_tokens(1), testing::october), std::nullopt);
    EXPECT_EQ(table.cost_of("", text_tokens(1), testing::october), std::nullopt);
    EXPECT_FALSE(table.knows("n", testing::october));
    EXPECT_TRUE(table.knows("m", testing::october));
}

TEST(PriceTable, ARowAppliesFromItsDayOn) {
    // In any order.
    const auto table = parsed(
        R"({"model":"m","from":"2027-01-01","input":"2","output":"0"},
           {"model":"m","from":"2026-01-01","input":"1","output":"0"})");
    EXPECT_EQ(table.cost_of("m", text_tokens(1), 2025y / 12 / 31), std::nullopt);
    EXPECT_EQ(table.cost_of("m", text_tokens(1), 2026y / 1 / 1), 1'000'000);
    EXPECT_EQ(table.cost_of("m", text_tokens(1), 2026y / 12 / 31), 1'000'000);
    EXPECT_EQ(table.cost_of("m", text_tokens(1), 2027y / 1 / 1), 2'000'000);
}

TEST(PriceTable, AWholeNamePrecedesALongerPrefixPrecedesAShorterOne) {
    const auto table = parsed(
        R"({"model":"gemini-*","input":"1","output":"0"},
           {"model":"gemini-3*","input":"2","output":"0"},
           {"model":"gemini-3.8","input":"3","output":"0"},
           {"model":"gemini-3.8*","from":"2026-01-01","input":"4","output":"0"})");
    EXPECT_EQ(table.cost_of("gemini-2.5", text_tokens(1), testing::october), 1'000'000);
    EXPECT_EQ(table.cost_of("gemini-3.5", text_tokens(1), testing::october), 2'000'000);
    EXPECT_EQ(table.cost_of("gemini-3.8", text_tokens(1), testing::october), 3'000'000);
    EXPECT_EQ(table.cost_of("gemini-3.8-flash", text_tokens(1), testing::october), 4'000'000);
    EXPECT_EQ(table.cost_of("other", text_tokens(1), testing::october), std::nullopt);
}

TEST(PriceTable, AThresholdPricesTheWholePrompt) {
    const auto table = parsed(
        R"({"model":"m","input":"1","output":"10"},
           {"model":"m","above_prompt_tokens":200000,"input":"2","output":"20"})");
    EXPECT_EQ(
        table.cost_of("m", text_tokens(200'000, 1), testing::october),
        200'000LL * 1'000'000 + 10'000'000);
    EXPECT_EQ(
        table.cost_of("m", text_tokens(200'001, 1), testing::october),
        200'001LL * 2'000'000 + 20'000'000);
}

TEST(PriceTable, SoundAndCachedTokensHaveTheirOwnPrices) {
    const auto table = parsed(
        R"({"model":"m","input":"1","audio_input":"10",
            "cached":"0.1","audio_cached":"5","output":"0"})");
    // 100 tokens: 40 of text (10 cached) and 60 of sound (20 cached).
    const token_counts used{
        .prompt = 100,
        .cached_prompt = 30,
        .by_modality = {
            {.kind = modality::text, .prompt = 40, .cached_prompt = 10},
            {.kind = modality::audio, .prompt = 60, .cached_prompt = 20}}};
    EXPECT_EQ(
        table.cost_of("m", used, testing::october),
        30 * 1'000'000 + 10 * 100'000 + 40 * 10'000'000 + 20 * 5'000'000);
}

// OpenAI-compatible servers report cached tokens and those of sound, but not their overlap.
TEST(PriceTable, NoTokenIsChargedTwice) {
    const auto table = parsed(
        R"({"model":"m","input":"1","audio_input":"10",
            "cached":"0.1","audio_cached":"5","output":"0"})");
    const token_counts used{
        .prompt = 100,
        .cached_prompt = 60,
        .by_modality = {{.kind = modality::audio, .prompt = 80}}};
    EXPECT_EQ(
        table.cost_of("m", used, testing::october), 40 * 10'000'000 + 20 * 100'000 + 40 * 5'000'000)
        << "at least 40 of the cached tokens are of sound";
}

TEST(PriceTable, MissingPricesHaveDefaults) {
    const auto table = parsed(R"({"model":"m","input":"3","output":"0"})");
    const token_counts used{
        .prompt = 10,
        .cached_prompt = 4,
        .by_modality = {{.kind = modality::audio, .prompt = 5, .cached_prompt = 2}}};
    EXPECT_EQ(table.cost_of("m", used, testing::october), 10 * 3'000'000);
}

TEST(PriceTable, NullIsUnknownAndNotFree) {
    const auto table =
        parsed(R"({"model":"m","input":"1","cached":null,"audio_input":null,"output":"1"})");
    EXPECT_EQ(table.cost_of("m", text_tokens(1, 1), testing::october), 2'000'000);
    EXPECT_EQ(
        table.cost_of("m", {.prompt = 2, .cached_prompt = 1}, testing::october), std::nullopt);
    EXPECT_EQ(
        table.cost_of(
            "m",
            {.prompt = 2, .by_modality = {{.kind = modality::audio, .prompt = 1}}},
            testing::october),
        std::nullopt);
    // The price of cached sound defaults to that of cached tokens, which is unknown as well.
    EXPECT_EQ(
        table.cost_of(
            "m",
            {.prompt = 1,
             .cached_prompt = 1,
             .by_modality = {{.kind = modality::audio, .prompt = 1, .cached_prompt = 1}}},
            testing::october),
        std::nullopt);
}

TEST(PriceTable, ContradictoryCountsHaveNoNegativeCost) {
    const auto table = parsed(R"({"model":"m","input":"1","audio_input":"2","output":"0"})");
    const token_counts used{
        .prompt = 10,
        .cached_prompt = 10,
        .by_modality = {{.kind = modality::audio, .prompt = 5, .cached_prompt = 50}}};
    const auto cost = table.cost_of("m", used, testing::october);
    ASSERT_TRUE(cost);
    EXPECT_GE(*cost, 0);
}

TEST(PriceTable, AnOverflowIsAnUnknownCost) {
    const auto table = parsed(R"({"model":"m","input":"1000000","output":"1000000"})");
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(table.cost_of("m", text_tokens(most), testing::october), std::nullopt);
    EXPECT_EQ(
        table.cost_of("m", text_tokens(5'000'000, 5'000'000), testing::october), std::nullopt);
}

TEST(PriceTable, AMalformedTableNamesRowAndFault) {
    struct test_case {
        const char* row;
        const char* fault;
    };
    constexpr test_case cases[] = {
        {R"(1)", "no object"},
        {R"({"input":"1","output":"1"})", "model"},
        {R"({"model":"","input":"1","output":"1"})", "model"},
        {R"({"model":"*","input":"1","output":"1"})", "model"},
        {R"({"model":7,"input":"1","output":"1"})", "model"},
        {R"({"model":"m","output":"1"})", "input"},
        // A number would be a binary fraction.
        {R"({"model":"m","input":0.1,"output":"1"})", "input"},
        {R"({"model":"m","input":null,"output":"1"})", "input"},
        {R"({"model":"m","input":"1"})", "output"},
        {R"({"model":"m","input":"1","output":"x"})", "output"},
        {R"({"model":"m","input":"1","output":"1","cached":"x"})", "cached"},
        {R"({"model":"m","input":"1","output":"1","audio_input":2})", "audio_input"},
        {R"({"model":"m","input":"1","output":"1","audio_cached":false})", "audio_cached"},
        {R"({"model":"m","input":"1","output":"1","from":"2026-02-30"})", "from"},
        {R"({"model":"m","input":"1","output":"1","from":"2026-1-1"})", "from"},
        {R"({"model":"m","input":"1","output":"1","from":"2026-+1-01"})", "from"},
        {R"({"model":"m","input":"1","output":"1","from":20260101})", "from"},
        {R"({"model":"m","input":"1","output":"1","above_prompt_tokens":-1})",
         "above_prompt_tokens"},
        {R"({"model":"m","input":"1","output":"1","above_prompt_tokens":"5"})",
         "above_prompt_tokens"},
    };
    for (const auto& expected : cases) {
        const auto table = price_table::parse(
            R"({"prices":[{"model":"ok","input":"1","output":"1"},)" + std::string{expected.row} +
            "]}");
        ASSERT_FALSE(table) << expected.row;
        EXPECT_EQ(table.error().code(), errc::invalid_argument);
        EXPECT_THAT(table.error().detail(), HasSubstr("prices[1]")) << expected.row;
        EXPECT_THAT(table.error().detail(), HasSubstr(expected.fault)) << expected.row;
    }
    for (const char* text : {"", "[]", "{}", R"({"prices":{}})", R"({"prices":[})", "null"})
        EXPECT_FALSE(price_table::parse(text)) << text;
    EXPECT_TRUE(price_table::parse(R"({"prices":[]})")) << "an empty table is valid";
}

TEST(PriceTable, TheOperatorsPricesPrecedeTheTable) {
    auto table = parsed(
        R"({"model":"m","from":"2026-09-01","input":"1","audio_input":"9","output":"1"},
           {"model":"m","above_prompt_tokens":10,"input":"8","output":"8"})");
    ASSERT_TRUE(table.put_first("m=2/3, n/7b=0.5/1.5/0.25,a=b=4/5"));
    // For all days, lengths and modalities.
    EXPECT_EQ(table.cost_of("m", text_tokens(100, 1), 2020y / 1 / 1), 203'000'000);
    EXPECT_EQ(
        table.cost_of(
            "m",
            {.prompt = 1, .by_modality = {{.kind = modality::audio, .prompt = 1}}},
            testing::october),
        2'000'000);
    EXPECT_EQ(table.cost_of("m", {.prompt = 1, .cached_prompt = 1}, testing::october), 2'000'000);
    EXPECT_EQ(
        table.cost_of("n/7b", {.prompt = 3, .cached_prompt = 1, .output = 1}, testing::october),
        2'750'000);
    EXPECT_EQ(table.cost_of("a=b", text_tokens(1, 1), testing::october), 9'000'000);
}

TEST(PriceTable, TheLastOfTwoOverridesCounts) {
    price_table table;
    ASSERT_TRUE(table.put_first("m=1/1,m=2/2"));
    EXPECT_EQ(table.cost_of("m", text_tokens(1), testing::october), 2'000'000);
}

TEST(PriceTable, MalformedOverridesAreRefused) {
    for (const char* text :
         {"m",
          "m=",
          "=1/2",
          "m=1",
          "m=1/2/3/4",
          "m=a/b",
          "m=1/",
          "m=/1",
          "m=-1/2",
          "m=1/2;n=1/2",
          ",",
          "m=1/2,",
          "m=1/2,,n=1/2",
          "m=1/2/",
          " =1/2"}) {
        price_table table;
        const auto put = table.put_first(text);
        ASSERT_FALSE(put) << text;
        EXPECT_EQ(put.error().code(), errc::invalid_argument);
    }
    price_table table;
    EXPECT_TRUE(table.put_first("")) << "no overrides";
}

TEST(PriceTable, MinutesOfSound) {
    auto table = parsed(R"({"model":"whisper-1","minute":"0.006"},)"
                        R"({"model":"whisper-1","from":"2026-11-01","minute":"0.007"},)"
                        R"({"model":"chat","input":"1","output":"1"})");
    const auto cost = [&](const char* model, std::int64_t milliseconds) {
        return table.cost_of_audio(model, milliseconds, testing::october);
    };
    EXPECT_EQ(cost("whisper-1", 60'000), 6'000'000'000);
    EXPECT_EQ(cost("whisper-1", 1), 100'000);
    EXPECT_EQ(cost("whisper-1", 0), 0);
    EXPECT_EQ(cost("chat", 60'000), std::nullopt) << "it has a price for tokens alone";
    EXPECT_EQ(cost("other", 60'000), std::nullopt);
    EXPECT_EQ(table.cost_of("whisper-1", text_tokens(5), testing::october), std::nullopt);
    EXPECT_TRUE(table.knows("whisper-1", testing::october));

    ASSERT_TRUE(table.put_first("whisper-1=0.000001/min, my/model=0/min,chat=2/3"));
    EXPECT_EQ(cost("whisper-1", 60'000), 1'000'000);
    EXPECT_EQ(cost("whisper-1", 1), 17) << "rounded to a picodollar";
    EXPECT_EQ(cost("my/model", 60'000), 0);
    ASSERT_TRUE(table.put_first("dear=1000000/min"));
    EXPECT_EQ(cost("dear", 60'000'000), std::nullopt) << "it does not fit";
    for (const auto* wrong :
         {"m=1/minute", "m=1/2/min", "m=/min", "m=min", "m=1/min/1", "m=-1/min"})
        EXPECT_FALSE(table.put_first(wrong)) << wrong;
    EXPECT_FALSE(price_table::parse(R"({"prices":[{"model":"m","minute":"x"}]})"));
}

}  // namespace
}  // namespace reelsd::model
