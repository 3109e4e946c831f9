#include "answer_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using testing::answer_duration;
using ::testing::ElementsAre;
using testing::good_answer;
using ::testing::IsEmpty;
using testing::read;
using testing::texts_of;

using sentences = std::vector<std::string>;

TEST(ReadAnswer, RefusesAnAnswerWithTheTag) {
    auto answer = good_answer();
    answer["audio"]["segments"][1]["speaker"] = "<Q7F3-caption>";
    const auto reading = read(answer);
    EXPECT_FALSE(reading.reported);
    EXPECT_THAT(
        reading.violations, ElementsAre("the answer holds the tag that must never be written"));
}

// Goal: times are in the video and ascend, and unreadable times are not violations.
TEST(ReadAnswer, CorrectsTimes) {
    auto answer = good_answer();
    answer["visual"]["text_segments"] = json::parse(R"([
        {"start": "00:20", "end": "00:10", "text": "late"},
        {"start": "soon", "end": null, "text": "unknown"},
        {"start": "00:02", "text": "open"},
        {"start": "00:06", "end": "02:00", "text": "past the end"}])");
    answer["content"]["key_moments"] = json::parse(R"([
        {"time": "00:09", "description": "second"},
        {"time": "later", "description": "never"},
        {"time": 3, "description": "first"}])");

    const auto reading = read(answer);

    EXPECT_THAT(reading.violations, IsEmpty());
    EXPECT_THAT(
        reading.warnings, ElementsAre("times past the end of the video were moved to its end"));
    ASSERT_TRUE(reading.reported);
    const auto& texts = reading.reported->visual.texts;
    EXPECT_THAT(texts_of(texts), ElementsAre("open", "past the end", "late", "unknown"));
    EXPECT_EQ(texts[0].end_seconds, 6);
    EXPECT_EQ(texts[1].end_seconds, answer_duration);
    EXPECT_EQ(texts[2].end_seconds, 20);
    EXPECT_EQ(texts[3].start_seconds, 20);
    const auto& moments = reading.reported->content.key_moments;
    ASSERT_EQ(moments.size(), 2U);
    EXPECT_EQ(moments[0].description, "first");
    EXPECT_EQ(moments[1].description, "second");
}

TEST(ReadAnswer, DetectsTheTimesOfAnotherVideo) {
    auto answer = good_answer();
    answer["audio"]["segments"][1]["start"] = "01:10";
    answer["audio"]["segments"][1]["end"] = "01:12";
    EXPECT_EQ(read(answer).warnings.size(), 1U);  // One entry may be a typing error.
    answer["content"]["key_moments"][0]["time"] = "01:11";
    EXPECT_THAT(
        read(answer).warnings,
        ElementsAre(
            "times past the end of the video were moved to its end",
            "times lie far past the end of the video: the analysis may be of another one"));
}

TEST(ReadAnswer, SplitsLongSpeech) {
    std::string speech;
    for (int word = 0; word < 400; ++word) speech += "word" + std::to_string(word) + " ";
    auto answer = good_answer();
    answer["audio"]["segments"] = json::array({{{"text", speech}, {"start", 0}, {"end", 30}}});

    const auto reading = read(answer);

    ASSERT_TRUE(reading.reported);
    const auto& segments = reading.reported->audio.segments;
    EXPECT_EQ(segments.size(), 4U);
    EXPECT_EQ(transcript_of(segments) + " ", speech);
    EXPECT_EQ(segments.front().start_seconds, 0);
    EXPECT_EQ(segments.back().end_seconds, 30);
    EXPECT_NEAR(segments[1].start_seconds, segments[0].end_seconds, 1e-9);
}

// Goal: a loop is a violation, and is cut in case no request is left.
TEST(ReadAnswer, CutsLoops) {
    const sentences warned{"the model repeated itself: the repeats were left out"};
    auto looping = good_answer();
    std::string loop;
    for (int turn = 0; turn < 50; ++turn) loop += "a barista pours ";
    looping["visual"]["description"] = loop;
    auto reading = read(looping);
    EXPECT_THAT(reading.violations, ElementsAre("visual.description repeats itself"));
    EXPECT_EQ(reading.warnings, warned);
    EXPECT_EQ(reading.reported->visual.description, "a barista pours");

    looping = good_answer();
    for (int turn = 0; turn < 20; ++turn) {
        looping["audio"]["segments"].push_back({{"start", 6}, {"end", 7}, {"text", "Yes."}});
    }
    reading = read(looping);
    EXPECT_THAT(reading.violations, ElementsAre("audio.segments repeats itself"));
    EXPECT_EQ(reading.warnings, warned);
    EXPECT_EQ(reading.reported->audio.segments.size(), 5U);

    looping = good_answer();
    looping["content"]["topics"] = sentences(30, "coffee");
    reading = read(looping);
    EXPECT_THAT(reading.violations, ElementsAre("content.topics repeats itself"));
    EXPECT_THAT(reading.reported->content.topics, ElementsAre("coffee"));
}

TEST(ReadAnswer, DropsItemsThatDifferInCase) {
    auto answer = good_answer();
    answer["content"]["topics"] = {"saving", "C", "Saving", "C#"};
    EXPECT_THAT(read(answer).reported->content.topics, ElementsAre("saving", "C", "C#"));
}

TEST(ReadAnswer, MergesATextThatRemains) {
    auto answer = good_answer();
    auto& texts = answer["visual"]["text_segments"] = json::array();
    for (int second = 0; second < 20; ++second) {
        texts.push_back({{"start", second}, {"end", second + 1}, {"text", "@beans"}});
    }
    const auto reading = read(answer);
    EXPECT_THAT(reading.violations, IsEmpty());
    ASSERT_EQ(reading.reported->visual.texts.size(), 1U);
    EXPECT_EQ(reading.reported->visual.texts[0].end_seconds, 20);
}

TEST(ReadAnswer, ObservesItsBounds) {
    auto answer = good_answer();
    auto& segments = answer["audio"]["segments"] = json::array();
    for (int line = 0; line < 600; ++line) {
        segments.push_back({{"start", 1}, {"end", 2}, {"text", "line " + std::to_string(line)}});
    }
    const auto reading = read(answer);
    EXPECT_THAT(reading.violations, ElementsAre("audio.segments has more than 500 entries"));
    EXPECT_EQ(reading.reported->audio.segments.size(), 500U);
}

TEST(ReadAnswer, OmitsExcessiveText) {
    auto answer = good_answer();
    auto& segments = answer["audio"]["segments"] = json::array();
    for (int line = 0; line < 400; ++line) {
        std::string text;
        for (int word = 0; word < 150; ++word) text += "w" + std::to_string(line * word) + " ";
        segments.push_back({{"start", 1}, {"end", 2}, {"text", text}});
    }
    const auto reading = read(answer);
    EXPECT_THAT(
        reading.violations, ::testing::Contains("the answer has more text than a video needs"));
    ASSERT_TRUE(reading.reported);
    EXPECT_FALSE(reading.reported->audio.segments.empty());
}

}  // namespace
}  // namespace reelsd::model
