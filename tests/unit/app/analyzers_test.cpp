// Goal: the configured analyzers are used, and a missing setting is reported at the start, not with
// the first video.
#include "app/analyzers.hpp"

#include "support/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

settings analyzer_settings(std::vector<std::string> names) {
    settings config;
    config.analyzers = std::move(names);
    config.transcriber = "local";
    config.model_prices_file =
        std::string{REELSD_SOURCE_DIR} + "/src/model/remote/model-prices.json";
    return config;
}

TEST(WantedAnalyzers, AutoIsTheFirstWithAKeyAndAModel) {
    auto config = analyzer_settings({"auto"});
    EXPECT_THAT(analyzer_names(config), ElementsAre("local"));
    config.openai.key = "k";
    EXPECT_THAT(analyzer_names(config), ElementsAre("local"));
    config.openai.model = "m";
    EXPECT_THAT(analyzer_names(config), ElementsAre("openai"));
    config.gemini.key = "k";
    EXPECT_THAT(analyzer_names(config), ElementsAre("gemini"));
}

TEST(WantedAnalyzers, NamedAnalyzersAreUsed) {
    auto config = analyzer_settings({"local", "openai"});
    config.gemini.key = "k";
    EXPECT_THAT(analyzer_names(config), ElementsAre("local", "openai"))
        << "a key alone enables no analyzer";
}

TEST(WantedAnalyzers, SubmissionsMayChooseTheOthersThatHaveAKeyAndAModel) {
    auto config = analyzer_settings({"auto"});
    config.gemini.key = "k";
    EXPECT_TRUE(other_analyzer_names(config).empty());
    config.openai.key = "k";
    EXPECT_TRUE(other_analyzer_names(config).empty());
    config.openai.model = "m";
    EXPECT_THAT(other_analyzer_names(config), ElementsAre("openai"));
    config.analyzers = {"gemini"};
    EXPECT_TRUE(other_analyzer_names(config).empty()) << "a key alone enables no analyzer";
}

/// Starts no helper and calls no server.
result<std::unique_ptr<analyzers>> create_analyzers(const settings& config) {
    static const media::media_client media{{.helper = "/nonexistent"}};
    return analyzers::create(config, "0", media, {}, log::logger::silent());
}

TEST(Analyzers, ASingleAnalyzerNeedsNoChain) {
    const auto local = create_analyzers(analyzer_settings({"local"}));
    ASSERT_TRUE(local);
    EXPECT_THAT(std::string{(*local)->chosen().name()}, HasSubstr("local/"));
    EXPECT_TRUE((*local)->circuits().empty());
    (*local)->sweep({}, {});  // There is no provider.
}

TEST(Analyzers, AreFoundByTheirNames) {
    auto config = analyzer_settings({"auto"});
    config.gemini.key = config.openai.key = "k";
    config.openai.model = "m";
    const auto created = create_analyzers(config);
    ASSERT_TRUE(created) << created.error().detail();
    const auto& all = **created;
    EXPECT_THAT(all.names(), ElementsAre("gemini", "openai", "local"));
    EXPECT_EQ(all.find("gemini"), &all.chosen());
    EXPECT_THAT(std::string{all.find("openai")->name()}, HasSubstr("openai/m/"));
    EXPECT_EQ(all.find("local")->name(), all.free().name());
    EXPECT_EQ(all.find("claude"), nullptr);
    EXPECT_EQ(all.remote().size(), 2U);
}

TEST(Analyzers, AChainHasTheNameOfItsFirstAnalyzer) {
    auto config = analyzer_settings({"gemini", "openai", "local"});
    config.gemini.key = "k";
    config.openai.model = "m";
    const auto created = create_analyzers(config);
    ASSERT_TRUE(created) << created.error().detail();
    EXPECT_THAT(
        std::string{(*created)->chosen().name()}, HasSubstr("gemini/gemini-3.8-flash/prompt-"));
    EXPECT_THAT(std::string{(*created)->free().name()}, HasSubstr("local/"));
    const auto circuits = (*created)->circuits();
    ASSERT_EQ(circuits.size(), 2U);
    EXPECT_EQ(circuits[0].provider, "gemini");
    EXPECT_EQ(circuits[1].model, "m");
    EXPECT_EQ(circuits[1].open_for.count(), 0);
}

TEST(Analyzers, AMissingSettingIsNamed) {
    struct test_case {
        settings config;
        const char* detail;
    };
    auto no_file = analyzer_settings({"local"});
    no_file.model_prices_file = "/nonexistent/prices.json";
    auto folder = analyzer_settings({"local"});
    folder.model_prices_file = "/tmp";
    auto no_table = analyzer_settings({"local"});
    no_table.model_prices_file = std::string{REELSD_SOURCE_DIR} + "/src/model/prompt/schema.json";
    auto no_price = analyzer_settings({"local"});
    no_price.model_prices = "m=1";
    const test_case cases[] = {
        {analyzer_settings({"local", "gemini"}), "gemini-api-key is not set"},
        {analyzer_settings({"openai"}), "openai-model is not set"},
        {no_file, "model-prices-file: /nonexistent/prices.json cannot be read"},
        {folder, "model-prices-file: /tmp cannot be read"},
        {no_table, "model-prices-file: a price table is"},
        {no_price, "model-prices: a price is"},
    };
    for (const auto& expected : cases) {
        const auto created = create_analyzers(expected.config);
        ASSERT_FALSE(created) << expected.detail;
        EXPECT_EQ(created.error().code(), errc::invalid_argument);
        EXPECT_THAT(created.error().detail(), HasSubstr(expected.detail));
    }
}

}  // namespace
}  // namespace reelsd::app
