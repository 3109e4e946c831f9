#include "answer_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using testing::answer_duration;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::good_answer;
using ::testing::IsEmpty;
using testing::read;
using testing::texts_of;

using sentences = std::vector<std::string>;

TEST(ReadAnswer, ReadsACompleteAnswer) {
    const auto reading = read(good_answer());

    EXPECT_THAT(reading.violations, IsEmpty());
    EXPECT_THAT(reading.warnings, IsEmpty());
    ASSERT_TRUE(reading.reported);
    const auto& reported = *reading.reported;
    EXPECT_EQ(reported.visual.description, "A barista pours water over coffee.");
    EXPECT_EQ(reported.visual.setting, "A bright kitchen.");
    EXPECT_THAT(reported.visual.subjects, ElementsAre("a barista", "a kettle"));
    ASSERT_EQ(reported.visual.texts.size(), 2U);
    EXPECT_EQ(reported.visual.texts[1].text, "Fresh beans");
    EXPECT_EQ(reported.visual.texts[1].start_seconds, 5);
    EXPECT_EQ(reported.visual.texts[1].end_seconds, 9);
    EXPECT_EQ(transcript_of(reported.audio.segments), "Here are three tips. Use fresh beans.");
    EXPECT_EQ(reported.audio.language, "en");
    EXPECT_TRUE(reported.audio.has_music);
    EXPECT_EQ(reported.audio.music_description, "Calm guitar.; \"Morning\" by The Kettles");
    EXPECT_EQ(reported.content.summary, "Three tips for coffee.");
    EXPECT_THAT(reported.content.topics, ElementsAre("coffee", "brewing"));
    EXPECT_THAT(reported.content.hooks, ElementsAre("3 TIPS"));
    EXPECT_EQ(reported.content.call_to_action, "follow for more");
    ASSERT_EQ(reported.content.key_moments.size(), 1U);
    EXPECT_EQ(reported.content.key_moments[0].seconds, 5);
    EXPECT_EQ(reported.metadata.format, "tutorial");
    EXPECT_EQ(reported.metadata.mood, sentiment::positive);
    EXPECT_EQ(reported.metadata.target_audience, "beginners");
    EXPECT_EQ(reported.provider + reported.model_name, "");
}

// Goal: other spellings of a value cost no second call.
TEST(ReadAnswer, AcceptsOtherSpellingsSilently) {
    struct test_case {
        const char* name;
        const char* patch;  ///< JSON merge patch on the good answer.
        bool (*holds)(const findings&);
    };
    const test_case cases[] = {
        {"unknown members",
         R"({"extra": 1, "visual": {"mood": "calm"}, "audio": {"sounds": 7}})",
         [](const findings& reported) { return reported.visual.texts.size() == 2; }},
        {"a boolean as text",
         R"({"audio": {"has_music": "False"}})",
         [](const findings& reported) {
             return !reported.audio.has_music && reported.audio.music_description.empty();
         }},
        {"a number for a text",
         R"({"content": {"summary": 42, "topics": [7, true, null, "x"]}})",
         [](const findings& reported) {
             return reported.content.summary == "42" &&
                    reported.content.topics == sentences{"7", "true", "x"};
         }},
        {"empty texts and lists",
         R"({"visual": {"setting": [], "subjects": []}, "content": {"hooks": [], "topics": ""}})",
         [](const findings& reported) {
             return reported.visual.setting.empty() && reported.content.topics.empty();
         }},
        {"a text for a list",
         R"({"content": {"topics": "coffee"}})",
         [](const findings& reported) { return reported.content.topics == sentences{"coffee"}; }},
        {"a list for a text",
         R"({"content": {"summary": ["Three tips", "for coffee."]}})",
         [](const findings& reported) {
             return reported.content.summary == "Three tips for coffee.";
         }},
        {"one entry for a list",
         R"({"content": {"key_moments": {"timestamp": 5.5, "description": "Beans."}}})",
         [](const findings& reported) {
             return reported.content.key_moments.size() == 1 &&
                    reported.content.key_moments[0].seconds == 5.5;
         }},
        {"a list for a section",
         R"({"metadata": [{"format": "Review", "sentiment": "Mixed", "target_audience": ""}]})",
         [](const findings& reported) {
             return reported.metadata.format == "review" &&
                    reported.metadata.mood == sentiment::mixed;
         }},
        {"unknown words",
         R"({"metadata": {"format": "listicle", "sentiment": "cosy"}})",
         [](const findings& reported) {
             return reported.metadata.format == "other" &&
                    reported.metadata.mood == sentiment::neutral;
         }},
        {"the API's names of times",
         R"({"audio": {"segments": [{"text": "a", "start_seconds": 1.5, "end_seconds": "2"}]}})",
         [](const findings& reported) {
             return reported.audio.segments[0].start_seconds == 1.5 &&
                    reported.audio.segments[0].end_seconds == 2;
         }},
        {"words for nothing",
         R"({"audio": {"music_title": "unknown", "music_artist": "N/A"},
             "content": {"call_to_action": "None"}})",
         [](const findings& reported) {
             return reported.audio.music_description == "Calm guitar." &&
                    !reported.content.call_to_action;
         }},
        {"a language without a code",
         R"({"audio": {"language": "und"}})",
         [](const findings& reported) { return !reported.audio.language; }},
        {"links remain text",
         R"({"visual": {"description": "See https://a.test/?q=<b>"}})",
         [](const findings& reported) {
             return reported.visual.description == "See https://a.test/?q=<b>";
         }},
        {"invisible characters are removed",
         R"({"content": {"summary": "a\u202eb\u200bc\u0007"}})",
         [](const findings& reported) { return reported.content.summary == "abc"; }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto answer = good_answer();
        answer.merge_patch(json::parse(expected.patch));

        const auto reading = read(answer);

        EXPECT_THAT(reading.violations, IsEmpty());
        EXPECT_THAT(reading.warnings, IsEmpty());
        ASSERT_TRUE(reading.reported);
        EXPECT_TRUE(expected.holds(*reading.reported));
    }
}

TEST(ReadAnswer, AcceptsNulls) {
    auto answer = good_answer();
    answer["visual"]["setting"] = nullptr;
    answer["visual"]["subjects"] = nullptr;
    answer["audio"]["segments"] = nullptr;
    answer["audio"]["language"] = nullptr;
    answer["audio"]["music_title"] = nullptr;
    answer["content"]["call_to_action"] = nullptr;
    answer["content"]["key_moments"] = nullptr;

    const auto reading = read(answer);

    EXPECT_THAT(reading.violations, IsEmpty());
    ASSERT_TRUE(reading.reported);
    EXPECT_EQ(reading.reported->audio.music_description, "Calm guitar.; by The Kettles");
    EXPECT_FALSE(reading.reported->audio.language);
}

TEST(ReadAnswer, AcceptsTheFormatOfTheResult) {
    auto answer = good_answer();
    answer["visual"].erase("text_segments");
    answer["visual"]["text_on_screen"] = {"3 TIPS", "Fresh beans"};
    answer["audio"].erase("segments");
    answer["audio"]["transcript"] = "Here are three tips.";

    const auto reading = read(answer);

    EXPECT_THAT(reading.violations, IsEmpty());
    ASSERT_TRUE(reading.reported);
    EXPECT_THAT(texts_of(reading.reported->visual.texts), ElementsAre("3 TIPS", "Fresh beans"));
    EXPECT_EQ(reading.reported->visual.texts[0].start_seconds, 0);
    EXPECT_EQ(reading.reported->visual.texts[0].end_seconds, answer_duration);
    EXPECT_THAT(texts_of(reading.reported->audio.segments), ElementsAre("Here are three tips."));
}

TEST(ReadAnswer, FindsMembersWithoutTheirSections) {
    json flat = json::object();
    for (const auto& section : good_answer()) flat.update(section);
    const auto reading = read(flat);
    EXPECT_THAT(reading.violations, IsEmpty());
    ASSERT_TRUE(reading.reported);
    EXPECT_EQ(reading.reported->content.summary, "Three tips for coffee.");
    EXPECT_EQ(reading.reported->audio.segments.size(), 2U);

    const auto wrapped = read(json{{"result", good_answer()}});
    EXPECT_THAT(wrapped.violations, IsEmpty());
    EXPECT_TRUE(wrapped.reported);
}

// Goal: a missing or meaningless member is named by its path, and the rest is used.
TEST(ReadAnswer, NamesEachFault) {
    struct test_case {
        const char* pointer;
        const char* value;  ///< Null to remove it.
        const char* violation;
    };
    const test_case cases[] = {
        {"/audio", nullptr, "audio is missing"},
        {"/audio", "7", "audio is not an object"},
        {"/audio/segments", nullptr, "audio.segments is missing"},
        {"/visual/text_segments", nullptr, "visual.text_segments is missing"},
        {"/content/call_to_action", nullptr, "content.call_to_action is missing"},
        {"/audio/has_music", nullptr, "audio.has_music is missing"},
        {"/audio/has_music", R"("maybe")", "audio.has_music is neither true nor false"},
        {"/content/summary", R"({"a": 1})", "content.summary is not a string"},
        {"/content/topics", "[[1]]", "content.topics is not a list of strings"},
        {"/audio/segments",
         "7",
         "audio.segments is not a list of objects with start, end and text"},
        {"/audio/segments/0/text", nullptr, "audio.segments has an entry without text"},
        {"/content/key_moments",
         R"(["00:05 beans"])",
         "content.key_moments is not a list of objects with time and description"},
        {"/content/key_moments/0/description",
         nullptr,
         "content.key_moments has an entry without description"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.violation);
        auto answer = good_answer();
        const json::json_pointer place{expected.pointer};
        if (expected.value != nullptr) {
            answer[place] = json::parse(expected.value);
        } else {
            answer[place.parent_pointer()].erase(place.back());
        }

        const auto reading = read(answer);

        EXPECT_THAT(reading.violations, Contains(expected.violation));
        ASSERT_TRUE(reading.reported);
        EXPECT_EQ(reading.reported->visual.description, "A barista pours water over coffee.");
    }
}

TEST(ReadAnswer, GivesAtMostTenViolations) {
    auto answer = good_answer();
    for (auto& section : answer) {
        for (auto& member : section) member = {{"a", 1}};
    }
    answer["content"]["summary"] = "Something.";
    EXPECT_EQ(read(answer).violations.size(), 10U);
}

TEST(ReadAnswer, RefusesAnEmptyAnswer) {
    for (const auto* text :
         {"{}",
          R"({"a": 1})",
          R"({"visual": null, "audio": null, "content": null, "metadata": null})",
          R"({"metadata": {"format": "vlog", "sentiment": "positive", "target_audience": ""}})",
          R"({"error": "I cannot watch videos."})"}) {
        SCOPED_TRACE(text);
        const auto reading =
            read_answer(text, {.duration_seconds = answer_duration, .boundary = "q7f3"});
        EXPECT_FALSE(reading.reported);
        ASSERT_FALSE(reading.violations.empty());
        EXPECT_EQ(reading.violations[0], "the answer says nothing about the video");
    }
    auto empty = good_answer();
    for (auto& section : empty) {
        for (auto& member : section) member = nullptr;
    }
    EXPECT_FALSE(read(empty).reported);
    EXPECT_FALSE(read(empty).violations.empty());
}

TEST(ReadAnswer, RefusesATruncatedAnswer) {
    const auto whole = good_answer().dump();
    for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
        const auto reading = read_answer(
            std::string_view{whole}.substr(0, bytes),
            {.duration_seconds = answer_duration, .boundary = "q7f3"});
        ASSERT_FALSE(reading.reported) << bytes;
        ASSERT_THAT(reading.violations, ElementsAre("the answer is cut off before its end"));
    }
}

}  // namespace
}  // namespace reelsd::model
