// Goal: what an operator has set is what analyses, and a setting that is missing is named at the
// start, not with the first video.
#include "app/analyzers.hpp"

#include "support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

settings with_analyzers(std::vector<std::string> names) {
    settings with;
    with.analyzers = std::move(names);
    with.model_prices_file = std::string{REELSD_SOURCE_DIR} + "/src/model/remote/model-prices.json";
    return with;
}

TEST(WantedAnalyzers, AutoIsTheFirstWithAKey) {
    auto with = with_analyzers({"auto"});
    EXPECT_THAT(wanted_analyzers(with), ElementsAre("local"));
    with.openai.key = "k";
    EXPECT_THAT(wanted_analyzers(with), ElementsAre("openai"));
    with.gemini.key = "k";
    EXPECT_THAT(wanted_analyzers(with), ElementsAre("gemini"));
}

TEST(WantedAnalyzers, WhatIsNamedIsTaken) {
    auto with = with_analyzers({"local", "openai"});
    with.gemini.key = "k";
    EXPECT_THAT(wanted_analyzers(with), ElementsAre("local", "openai"))
        << "a key alone costs nothing";
}

/// Nothing is asked: no helper is started, no server called.
result<std::unique_ptr<analyzers>> created(const settings& with) {
    static const media::media_client media{{.helper = "/nonexistent"}};
    return analyzers::create(with, "0", media, {}, log::logger::silent());
}

TEST(Analyzers, OneAloneIsTakenAsItIs) {
    const auto local = created(with_analyzers({"local"}));
    ASSERT_TRUE(local);
    EXPECT_THAT(std::string{(*local)->chosen().name()}, HasSubstr("local/"));
    EXPECT_TRUE((*local)->circuits().empty());
    (*local)->sweep({}, {});  // There is nobody to ask.
}

TEST(Analyzers, AChainIsCalledByItsFirst) {
    auto with = with_analyzers({"gemini", "openai", "local"});
    with.gemini.key = "k";
    with.openai.model = "m";
    const auto made = created(with);
    ASSERT_TRUE(made) << made.error().detail();
    EXPECT_THAT(
        std::string{(*made)->chosen().name()}, HasSubstr("gemini/gemini-3.8-flash/prompt-"));
    EXPECT_THAT(std::string{(*made)->free().name()}, HasSubstr("local/"));
    const auto circuits = (*made)->circuits();
    ASSERT_EQ(circuits.size(), 2U);
    EXPECT_EQ(circuits[0].provider, "gemini");
    EXPECT_EQ(circuits[1].model, "m");
    EXPECT_EQ(circuits[1].open_for.count(), 0);
}

TEST(Analyzers, WhatIsMissingIsNamed) {
    struct test_case {
        settings with;
        const char* expected;
    };
    auto no_model = with_analyzers({"auto"});
    no_model.openai.key = "k";
    auto no_file = with_analyzers({"local"});
    no_file.model_prices_file = "/nonexistent/prices.json";
    auto folder = with_analyzers({"local"});
    folder.model_prices_file = "/tmp";
    auto no_table = with_analyzers({"local"});
    no_table.model_prices_file = std::string{REELSD_SOURCE_DIR} + "/src/model/prompt/schema.json";
    auto no_price = with_analyzers({"local"});
    no_price.model_prices = "m=1";
    const test_case cases[] = {
        {with_analyzers({"local", "gemini"}), "gemini-api-key is not set"},
        {with_analyzers({"openai"}), "openai-model is not set"},
        {no_model, "openai-model is not set"},
        {no_file, "model-prices-file: /nonexistent/prices.json cannot be read"},
        {folder, "model-prices-file: /tmp cannot be read"},
        {no_table, "model-prices-file: a price table is"},
        {no_price, "model-prices: a price is"},
    };
    for (const auto& one : cases) {
        const auto made = created(one.with);
        ASSERT_FALSE(made) << one.expected;
        EXPECT_EQ(made.error().code(), errc::invalid_argument);
        EXPECT_THAT(made.error().detail(), HasSubstr(one.expected));
    }
}

}  // namespace
}  // namespace reelsd::app
