// Goal: reports of a compromised helper about sound, texts and files are validated.
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace reelsd::media {
namespace {

using ::testing::HasSubstr;

struct test_case {
    const char* document;
    const char* fault;
};

TEST(SoundReport, SurvivesTheRoundTrip) {
    const sound_report half{.seconds = 0.5, .bytes = 16'044};
    const auto read = sound_report_from_json(json::parse(to_json(std::optional{half}).dump()));
    ASSERT_TRUE(read) << read.error().to_string();
    ASSERT_TRUE(read->has_value());
    EXPECT_DOUBLE_EQ((*read)->seconds, 0.5);
    EXPECT_EQ((*read)->bytes, 16'044U);
    const auto none = sound_report_from_json(to_json(std::optional<sound_report>{}));
    ASSERT_TRUE(none) << none.error().to_string();
    EXPECT_FALSE(none->has_value());
}

TEST(SoundReport, RejectsHostileDocuments) {
    const test_case cases[] = {
        {R"({})", "is missing"},
        {R"({"sound":7})", "is not an object"},
        {R"({"sound":null,"more":1})", "unknown member"},
        {R"({"sound":{"seconds":0.5,"bytes":16044},"more":1})", "unknown member"},
        {R"({"sound":{"seconds":0.5,"bytes":16044,"more":1}})", "unknown member"},
        {R"({"sound":{"bytes":16044}})", "is missing"},
        {R"({"sound":{"seconds":-0.5,"bytes":16044}})", "range"},
        {R"({"sound":{"seconds":1e9,"bytes":16044}})", "range"},
        {R"({"sound":{"seconds":0,"bytes":43}})", "range"},
        {R"({"sound":{"seconds":0.5,"bytes":-16044}})", "is not a number of bytes"},
        {R"({"sound":{"seconds":0.5,"bytes":"16044"}})", "is not a number of bytes"},
        {R"({"sound":{"seconds":0.5,"bytes":18446744073709551615}})", "range"},
        {R"({"sound":{"seconds":0.5,"bytes":16144}})", "does not fit the duration"},
        {R"({"sound":{"seconds":0.6,"bytes":16044}})", "does not fit the duration"},
    };
    for (const auto& [document, fault] : cases) {
        SCOPED_TRACE(document);
        const auto read = sound_report_from_json(json::parse(document));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_THAT(read.error().detail(), HasSubstr(fault));
    }
}

constexpr std::array requested{1.25, 1.25, 7.0 / 3};

TEST(CheckReport, SurvivesTheRoundTrip) {
    const check_report report{
        .silent = false,
        .speech = true,
        .silences = {{0, 2.5}, {4, 7}},
        .texts = {{"above", 1.25, 1.25}, {"below", 1.25, 1.25}, {"later", 7.0 / 3, 7.0 / 3}}};
    const auto read = check_report_from_json(json::parse(to_json(report).dump()), requested);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_FALSE(read->silent);
    EXPECT_EQ(read->speech, true);
    ASSERT_EQ(read->silences.size(), 2U);
    EXPECT_DOUBLE_EQ(read->silences[1].start_seconds, 4);
    EXPECT_DOUBLE_EQ(read->silences[1].end_seconds, 7);
    ASSERT_EQ(read->texts.size(), 3U);
    EXPECT_EQ(read->texts.at(1).text, "below");
    // The requested time, not the rounded one.
    EXPECT_DOUBLE_EQ(read->texts.at(2).start_seconds, 7.0 / 3);
    EXPECT_DOUBLE_EQ(read->texts.at(2).end_seconds, 7.0 / 3);
    const auto unknown = check_report_from_json(to_json(check_report{}), {});
    ASSERT_TRUE(unknown) << unknown.error().to_string();
    EXPECT_TRUE(unknown->silent);
    EXPECT_FALSE(unknown->speech.has_value());
}

TEST(CheckReport, RejectsHostileDocuments) {
    const test_case cases[] = {
        {R"({"speech":null,"silences":[],"texts":[]})", "silent is missing"},
        {R"({"silent":1,"speech":null,"silences":[],"texts":[]})", "is not a boolean"},
        {R"({"silent":false,"texts":[]})", "speech is missing"},
        {R"({"silent":false,"speech":null,"texts":[]})", "silences is missing"},
        {R"({"silent":false,"speech":null,"silences":[7],"texts":[]})", "is not an object"},
        {R"({"silent":false,"speech":null,"silences":[{"start_seconds":2,"end_seconds":1}],)"
         R"("texts":[]})",
         "range"},
        {R"({"silent":false,"speech":null,"silences":[{"start_seconds":2,"end_seconds":5},)"
         R"({"start_seconds":4,"end_seconds":6}],"texts":[]})",
         "range"},
        {R"({"silent":false,"speech":"yes","silences":[],"texts":[]})", "is not a boolean"},
        {R"({"silent":true,"speech":true,"silences":[],"texts":[]})",
         "although the sound is silent"},
        {R"({"silent":false,"speech":null,"silences":[]})", "texts is missing"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[],"more":1})", "unknown member"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[7]})", "is not an object"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[{"text":"a"}]})",
         "at_seconds is missing"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[{"at_seconds":1.25}]})",
         "text is missing"},
        {R"({"silent":false,"speech":null,"silences":[],)"
         R"("texts":[{"text":"a","at_seconds":1.25,"b":1}]})",
         "unknown member"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[{"text":"a","at_seconds":1.26}]})",
         "not requested"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[{"text":"a","at_seconds":-1}]})",
         "range"},
        {R"({"silent":false,"speech":null,"silences":[],)"
         R"("texts":[{"text":"\u001b[31m","at_seconds":1.25}]})",
         "UTF-8"},
        {R"({"silent":false,"speech":null,"silences":[],"texts":[{"text":"a","at_seconds":2.333},)"
         R"({"text":"a","at_seconds":1.25}]})",
         "range"},
    };
    for (const auto& [document, fault] : cases) {
        SCOPED_TRACE(document);
        const auto read = check_report_from_json(json::parse(document), requested);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_THAT(read.error().detail(), HasSubstr(fault));
    }
}

TEST(CheckReport, ObservesItsBounds) {
    check_report report;
    report.texts.assign(report_bounds::checked_texts_max, {"a", 1.25, 1.25});
    EXPECT_TRUE(check_report_from_json(to_json(report), requested));
    report.texts.push_back({"a", 1.25, 1.25});
    EXPECT_FALSE(check_report_from_json(to_json(report), requested));
    report.texts = {{std::string(report_bounds::text_bytes_max + 1, 'a'), 1.25, 1.25}};
    EXPECT_FALSE(check_report_from_json(to_json(report), requested));
}

TEST(OutputReport, IsASize) {
    const auto read = output_report_from_json(to_json(output_report{.bytes = 77}));
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->bytes, 77U);
    for (const auto* document :
         {R"({})",
          R"({"bytes":0})",
          R"({"bytes":-1})",
          R"({"bytes":"77"})",
          R"({"bytes":4311744513})",
          R"({"bytes":77,"more":1})"}) {
        SCOPED_TRACE(document);
        const auto rejected = output_report_from_json(json::parse(document));
        ASSERT_FALSE(rejected);
        EXPECT_EQ(rejected.error().code(), errc::media_failed);
    }
}

}  // namespace
}  // namespace reelsd::media
