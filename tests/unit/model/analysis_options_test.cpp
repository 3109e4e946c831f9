// Goal: the options of a submission are read strictly, stored without loss, and identified.
#include <reelsd/base/json.hpp>
#include <reelsd/model/analysis_options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::StartsWith;

TEST(AnalysisOptions, AreReadAndStored) {
    const auto options = analysis_options_in(json::parse(R"({
        "url": "x", "language": "DE-ch", "instructions": " Look\u0000here\u200b. ",
        "extract": {"type": "object", "properties": {"z": {}, "a": {}}}, "analyzer": "gemini"})"));
    ASSERT_TRUE(options) << options.error().detail();
    EXPECT_EQ(options->language, "de-CH");
    EXPECT_EQ(options->instructions, "Look here.");
    EXPECT_EQ(options->schema, R"({"type":"object","properties":{"z":{},"a":{}}})");
    EXPECT_EQ(options->preset, "");
    EXPECT_EQ(options->analyzer, "gemini");
    EXPECT_EQ(analysis_options_from(text_of(*options)).value(), *options);

    const auto preset = analysis_options_in(json{{"extract", "recipe"}}).value();
    EXPECT_EQ(preset.preset, "recipe");
    EXPECT_EQ(preset.schema, json::parse(extract_presets().front().schema).dump());
    EXPECT_EQ(text_of(preset), R"({"extract":"recipe"})");
    EXPECT_EQ(analysis_options_from(text_of(preset)).value(), preset);

    const auto none = analysis_options_in(json::parse(
        R"({"language": null, "instructions": null, "extract": null, "analyzer": null})"));
    EXPECT_EQ(none.value(), analysis_options{});
    EXPECT_EQ(text_of(*none), "");
    EXPECT_EQ(analysis_options_from("").value(), analysis_options{});
    EXPECT_FALSE(analysis_options_from("["));
}

TEST(AnalysisOptions, NameTheFieldThatIsWrong) {
    for (const char* body :
         {R"({"language": ""})",
          R"({"language": 1})",
          R"({"instructions": " \n"})",
          R"({"instructions": ["x"]})",
          R"({"extract": ""})",
          R"({"extract": []})",
          R"({"extract": true})",
          R"({"extract": {"type": "string"}})",
          R"({"analyzer": ""})",
          R"({"analyzer": 1})"}) {
        const auto options = analysis_options_in(json::parse(body));
        ASSERT_FALSE(options) << body;
        EXPECT_EQ(options.error().code(), errc::invalid_argument);
        EXPECT_THAT(options.error().detail(), StartsWith(json::parse(body).begin().key()));
    }
    const std::string umlauts = [] {
        std::string text;
        for (int i = 0; i < 2000; ++i) text += "\xc3\xa4";
        return text;
    }();
    EXPECT_TRUE(analysis_options_in({{"instructions", umlauts}})) << "characters, not bytes";
    EXPECT_FALSE(analysis_options_in({{"instructions", umlauts + "x"}}));
}

TEST(AnalysisOptions, HaveADigestOfWhatChangesTheResult) {
    const analysis_options none;
    EXPECT_EQ(digest_of(none), "");
    auto other_analyzer = none;
    other_analyzer.analyzer = "local";
    EXPECT_EQ(digest_of(other_analyzer), "") << "an analyzer's name is part of the identity itself";
    auto german = none;
    german.language = "de";
    auto slow = none;
    slow.instructions = "de";
    EXPECT_EQ(digest_of(german).size(), 32U);
    EXPECT_NE(digest_of(german), digest_of(slow));
    EXPECT_EQ(digest_of(german), digest_of(analysis_options{german}));
}

}  // namespace
}  // namespace reelsd::model
