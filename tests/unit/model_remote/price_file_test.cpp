// Goal: the packaged prices are the published ones. Each amount is repeated here, to detect
// mistakes in the file.
#include "builders.hpp"
#include "support/paths.hpp"
#include <reelsd/model/price_table.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::year_month_day december{2026y / 12 / 1};
constexpr std::chrono::year_month_day january{2027y / 1 / 1};
constexpr std::int64_t unknown = -1;

std::string file_text() {
    return testing::content_of(
        std::string{REELSD_SOURCE_DIR} + "/src/model/remote/model-prices.json");
}

/// In picodollars a token.
struct published {
    const char* model;
    std::chrono::year_month_day on;
    std::int64_t prompt_tokens;
    std::int64_t input;
    std::int64_t audio_input;
    std::int64_t cached;
    std::int64_t audio_cached;
    std::int64_t output;
};

constexpr published table[] = {
    {"gemini-3.8-flash", testing::october, 1000, 750'000, 750'000, 75'000, 75'000, 3'750'000},
    {"gemini-3.8-flash", january, 1000, 1'500'000, 1'500'000, 150'000, 150'000, 7'500'000},
    {"gemini-3.7-flash", testing::october, 1000, 750'000, 750'000, 75'000, 75'000, 3'750'000},
    {"gemini-3.7-flash", january, 1000, 1'500'000, 1'500'000, 150'000, 150'000, 7'500'000},
    {"gemini-3.6-flash", testing::october, 1000, 750'000, 750'000, 75'000, 75'000, 3'750'000},
    {"gemini-3.6-flash", january, 1000, 1'500'000, 1'500'000, 150'000, 150'000, 7'500'000},
    {"gemini-3.5-flash", testing::october, 1000, 1'500'000, 1'500'000, 150'000, 150'000, 9'000'000},
    {"gemini-3.5-flash", january, 1000, 1'500'000, 1'500'000, 150'000, 150'000, 9'000'000},
    {"gemini-3.5-flash-lite", testing::october, 1000, 300'000, 300'000, 30'000, 30'000, 2'500'000},
    {"gemini-3.1-flash-lite", testing::october, 1000, 250'000, 500'000, 25'000, 25'000, 1'500'000},
    {"gemini-3-flash-preview",
     testing::october,
     1000,
     500'000,
     1'000'000,
     50'000,
     50'000,
     3'000'000},
    {"gemini-3.1-pro-preview",
     testing::october,
     200'000,
     2'000'000,
     2'000'000,
     200'000,
     200'000,
     12'000'000},
    {"gemini-3.1-pro-preview",
     testing::october,
     200'001,
     4'000'000,
     4'000'000,
     400'000,
     400'000,
     18'000'000},
    {"gemini-2.5-pro",
     testing::october,
     200'000,
     1'250'000,
     1'250'000,
     125'000,
     125'000,
     10'000'000},
    {"gemini-2.5-pro",
     testing::october,
     200'001,
     2'500'000,
     2'500'000,
     250'000,
     250'000,
     15'000'000},
    {"gemini-2.5-flash", testing::october, 1000, 300'000, 1'000'000, 30'000, 100'000, 2'500'000},
    {"gemini-2.5-flash-lite", testing::october, 1000, 100'000, 300'000, 10'000, 30'000, 400'000},
    {"gemini-4-argon", testing::october, 1000, 2'000'000, unknown, unknown, unknown, 10'000'000},
    {"gemini-4-argon", december, 1000, 4'000'000, unknown, unknown, unknown, 20'000'000},
    {"gemini-embedding-001", testing::october, 1000, 150'000, 150'000, 150'000, 150'000, 0},
    {"gemini-embedding-2", testing::october, 1000, 200'000, 6'500'000, 200'000, 200'000, 0},
};

std::optional<std::int64_t> times(std::int64_t price, std::int64_t tokens) {
    if (price == unknown) return std::nullopt;
    return price * tokens;
}

TEST(PriceFile, HasThePublishedPrices) {
    const auto prices = price_table::parse(file_text()).value();
    for (const auto& price : table) {
        const auto all = price.prompt_tokens;
        const auto cost = [&](const token_counts& used) {
            return prices.cost_of(price.model, used, price.on);
        };
        const auto label = std::string{price.model} + " " + std::to_string(all);
        EXPECT_EQ(cost({.prompt = all}), times(price.input, all)) << label;
        EXPECT_EQ(
            cost({.prompt = all, .by_modality = {{.kind = modality::audio, .prompt = all}}}),
            times(price.audio_input, all))
            << label;
        EXPECT_EQ(cost({.prompt = all, .cached_prompt = all}), times(price.cached, all)) << label;
        EXPECT_EQ(
            cost(
                {.prompt = all,
                 .cached_prompt = all,
                 .by_modality = {{.kind = modality::audio, .prompt = all, .cached_prompt = all}}}),
            times(price.audio_cached, all))
            << label;
        EXPECT_EQ(cost({.prompt = all, .output = 7}), price.input * all + price.output * 7)
            << label;
    }
}

/// Prices of speech models in microdollars per minute.
constexpr std::pair<const char*, std::int64_t> minutes[] = {
    {"whisper-1", 6000}, {"gpt-transcribe", 4500}};

TEST(PriceFile, HasThePublishedPricesOfAMinute) {
    constexpr std::int64_t picodollars_of_a_microdollar = 1'000'000;
    constexpr std::int64_t milliseconds_of_a_minute = 60'000;
    const auto prices = price_table::parse(file_text()).value();
    for (const auto& [model, price] : minutes) {
        EXPECT_EQ(
            prices.cost_of_audio(model, milliseconds_of_a_minute, testing::october),
            price * picodollars_of_a_microdollar)
            << model;
    }
}

TEST(PriceFile, HasNoUncheckedRow) {
    std::set<std::string> checked;
    for (const auto& price : table) checked.insert(price.model);
    for (const auto& minute : minutes) checked.insert(minute.first);
    std::size_t rows = 0;
    const auto document = nlohmann::json::parse(file_text());
    for (const auto& row : document.at("prices")) {
        EXPECT_TRUE(checked.contains(row.at("model").get<std::string>())) << row;
        ++rows;
    }
    // 3.5-flash is twice in the table, to show that its price does not change.
    EXPECT_EQ(rows, std::size(table) - 1 + std::size(minutes));
}

TEST(PriceFile, AUsualCallCostsAFewCents) {
    // 90 s at high resolution and a frame a second, and 4,000 tokens of answer: USD 0.036.
    const auto prices = price_table::parse(file_text()).value();
    EXPECT_EQ(
        prices.cost_of("gemini-3.8-flash", {.prompt = 28'000, .output = 4'000}, testing::october),
        36'000'000'000);
}

}  // namespace
}  // namespace reelsd::model
