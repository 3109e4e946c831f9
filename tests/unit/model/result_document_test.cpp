#include "builders.hpp"
#include "support/result_check.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/model/result_document.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::model {
namespace {

using ::testing::IsEmpty;

std::string assembled(
    const findings& reported, const file_facts& file = testing::make_file(),
    const json& post = testing::make_post()) {
    const auto document = assemble_result(reported, file, post);
    if (!document) {
        ADD_FAILURE() << document.error().to_string();
        return "null";
    }
    EXPECT_THAT(result_violations(*document), IsEmpty()) << *document;
    return result_text(*document).value();
}

// Goal: names, order, types and nulls of the document are fixed.
TEST(AssembleResult, HasTheDocumentedFormat) {
    const auto text = assembled(testing::make_findings());

    const auto expected =
        R"({"visual":{"description":"A vertical video.","setting":"","subjects":[],)"
        R"("text_on_screen":["3 TIPS","Fresh beans"],)"
        R"("text_segments":[{"text":"3 TIPS","start_seconds":0.5,"end_seconds":4.0},)"
        R"({"text":"Fresh beans","start_seconds":4.25,"end_seconds":8.0}]},)"
        R"("audio":{"transcript":"here are three tips use fresh beans","language":"en",)"
        R"("has_music":true,"music_description":"Quiet music.",)"
        R"("segments":[{"text":"here are three tips","start_seconds":0.25,"end_seconds":2.0},)"
        R"({"text":"use fresh beans","start_seconds":4.0,"end_seconds":6.0}]},)"
        R"("content":{"summary":"Here are three tips.","topics":["fresh beans"],)"
        R"("hooks":["3 TIPS"],"call_to_action":"follow for more",)"
        R"("key_moments":[{"timestamp":"00:00","seconds":0.5,"description":"Opens."},)"
        R"({"timestamp":"00:04","seconds":4.25,"description":"Scene 2 begins."}]},)"
        R"("metadata":{"format":"tutorial","sentiment":"positive","target_audience":"",)"
        R"("duration_seconds":12.5,"width":720,"height":1280,"frame_rate":30.0,)"
        R"("video_codec":"h264","audio_codec":"aac","size_bytes":1234567,"sha256":")" +
        std::string(64, 'a') +
        R"(","model":{"provider":"local","name":"reelsd-local-1"},"warnings":[]},)"
        R"("platform_meta":{"platform":"instagram","code":"DYa0IXPgnP5",)"
        R"("url":"https://www.instagram.com/reel/DYa0IXPgnP5/","author":"beans.and.more",)"
        R"("author_name":null,"author_verified":null,"caption":null,"hashtags":[],"mentions":[],)"
        R"("like_count":null,"comment_count":null,"view_count":null,"posted_at":null,)"
        R"("thumbnail_url":null,"location":null,"music_title":null,"music_artist":null}})";
    EXPECT_EQ(text, expected);
}

TEST(AssembleResult, HasThePostsFacts) {
    auto post = testing::make_post();
    post["author_name"] = "Beans & More";
    post["author_verified"] = false;
    post["caption"] = "Fresh #beans";
    post["hashtags"] = {"#beans", "beans", "", "#", " #coffee"};
    post["mentions"] = {"@friend", "@@friend"};
    post["like_count"] = 0;
    post["comment_count"] = -1;
    post["view_count"] = std::numeric_limits<std::int64_t>::max();
    post["posted_at"] = "2026-05-22T10:00:00Z";
    post["thumbnail_url"] = std::string(5000, 'x');
    post["location"] = "Rome";

    const auto document =
        json::parse(assembled(testing::make_findings(), testing::make_file(), post));
    const auto& meta = document["platform_meta"];

    EXPECT_EQ(meta["author_name"], "Beans & More");
    EXPECT_EQ(meta["author_verified"], false);
    EXPECT_EQ(meta["caption"], "Fresh #beans");
    EXPECT_EQ(meta["hashtags"], json::array({"beans", "coffee"}));
    EXPECT_EQ(meta["mentions"], json::array({"friend"}));
    EXPECT_EQ(meta["like_count"], 0);
    EXPECT_TRUE(meta["comment_count"].is_null()) << "a negative count is unknown";
    EXPECT_EQ(meta["view_count"], std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(meta["posted_at"], "2026-05-22T10:00:00Z");
    EXPECT_TRUE(meta["thumbnail_url"].is_null()) << "a link must not be cut";
    EXPECT_EQ(meta["location"], "Rome");
}

using change_of_findings = std::function<void(findings&)>;

change_of_findings on_screen(std::vector<timed_text> texts) {
    return [texts = std::move(texts)](findings& reported) { reported.visual.texts = texts; };
}

change_of_findings spoken(std::vector<timed_text> segments) {
    return [segments = std::move(segments)](findings& reported) {
        reported.audio.segments = segments;
    };
}

change_of_findings with_subjects(std::vector<std::string> subjects) {
    return [subjects = std::move(subjects)](findings& reported) {
        reported.visual.subjects = subjects;
    };
}

// Goal: the document is valid for any findings. Method: one invalid finding at a time, its place in
// the document, and the checker for the whole.
TEST(AssembleResult, RepairsFindings) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    struct test_case {
        const char* name;
        change_of_findings change;
        const char* pointer;
        json expected;
    };
    const std::vector<test_case> cases = {
        {"broken UTF-8",
         [](findings& reported) { reported.visual.setting = "caf\xe9"; },
         "/visual/setting",
         "caf\uFFFD"},
        {"control characters",
         [](findings& reported) { reported.content.summary = "a\x01\x1b b\nc"; },
         "/content/summary",
         "a b\nc"},
        {"a field too long",
         [](findings& reported) { reported.visual.description = std::string(9000, 'd'); },
         "/visual/description",
         std::string(4000, 'd')},
        {"times past the end",
         on_screen({{"late", 11, 99}}),
         "/visual/text_segments/0/end_seconds",
         12.5},
        {"times before the start",
         on_screen({{"early", -3, 2}}),
         "/visual/text_segments/0/start_seconds",
         0.0},
        {"an end before its start", spoken({{"x", 5, 3}}), "/audio/segments/0/end_seconds", 5.0},
        {"times that are not numbers",
         spoken({{"x", nan, nan}}),
         "/audio/segments/0",
         {{"text", "x"}, {"start_seconds", 0.0}, {"end_seconds", 12.5}}},
        {"three decimals", spoken({{"x", 1.23456, 2}}), "/audio/segments/0/start_seconds", 1.235},
        {"texts out of order",
         on_screen({{"b", 5, 6}, {"a", 1, 2}, {"b", 8, 9}}),
         "/visual/text_on_screen",
         {"a", "b"}},
        {"texts without text",
         on_screen({{" ", 1, 2}, {"\x02", 1, 2}}),
         "/visual/text_on_screen",
         json::array()},
        {"subjects twice and empty",
         with_subjects({"cup", "", "cup", "pot"}),
         "/visual/subjects",
         {"cup", "pot"}},
        {"a region in the language",
         [](findings& reported) { reported.audio.language = "en-US"; },
         "/audio/language",
         "en"},
        {"no language code",
         [](findings& reported) { reported.audio.language = "und"; },
         "/audio/language",
         nullptr},
        {"a language without speech",
         [](findings& reported) { reported.audio.segments.clear(); },
         "/audio/language",
         nullptr},
        {"music described but not reported",
         [](findings& reported) { reported.audio.has_music = false; },
         "/audio/music_description",
         ""},
        {"an empty call",
         [](findings& reported) { reported.content.call_to_action = " "; },
         "/content/call_to_action",
         nullptr},
        {"moments out of order, twice, without time or meaning",
         [](findings& reported) {
             reported.content.key_moments = {
                 {70, "end"}, {3.9, "a"}, {3.9, "A."}, {nan, "never"}, {2, ""}};
         },
         "/content/key_moments",
         {{{"timestamp", "00:03"}, {"seconds", 3.9}, {"description", "a"}},
          {{"timestamp", "00:12"}, {"seconds", 12.5}, {"description", "end"}}}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto reported = testing::make_findings();
        expected.change(reported);

        const auto document = json::parse(assembled(reported));

        EXPECT_EQ(document.at(json::json_pointer{expected.pointer}), expected.expected);
    }
}

TEST(AssembleResult, CutsListsToTheirBounds) {
    auto reported = testing::make_findings();
    for (int at = 0; at < 1000; ++at) {
        const auto text = std::to_string(at);
        reported.visual.texts.push_back({text, 1, 2});
        reported.audio.segments.push_back({text, 1, 2});
        reported.content.key_moments.push_back({1, text});
        reported.content.topics.push_back(text);
    }

    const auto document = json::parse(assembled(reported));

    EXPECT_EQ(document["visual"]["text_segments"].size(), result_bounds::texts_max);
    EXPECT_EQ(document["audio"]["segments"].size(), result_bounds::segments_max);
    EXPECT_EQ(document["content"]["key_moments"].size(), result_bounds::key_moments_max);
    EXPECT_EQ(document["content"]["topics"].size(), result_bounds::list_items_max);
}

TEST(AssembleResult, WritesTimestamps) {
    auto file = testing::make_file();
    file.probe.duration_seconds = 7200;
    auto reported = testing::make_findings();
    reported.content.key_moments = {{59.999, "a"}, {60, "b"}, {3725.5, "c"}, {7200, "d"}};

    const auto document = json::parse(assembled(reported, file));

    std::vector<std::string> timestamps;
    for (const auto& moment : document["content"]["key_moments"]) {
        timestamps.push_back(moment["timestamp"]);
    }
    EXPECT_THAT(timestamps, ::testing::ElementsAre("00:59", "01:00", "62:05", "120:00"));
}

TEST(AssembleResult, RefusesAnAnalysisThatCannotBeStored) {
    auto reported = testing::make_findings();
    reported.visual.texts.clear();
    for (int at = 0; at < 200; ++at) {
        std::string text = std::to_string(at);
        for (int wide = 0; wide < 996; ++wide) text += "\U0001F600";
        reported.visual.texts.push_back({std::move(text), 1, 2});
    }

    const auto document = assemble_result(reported, testing::make_file(), testing::make_post());
    const auto text = result_text(document.value());

    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code(), errc::model_refused);
}

// Goal: facts that only a bug can produce are refused.
TEST(AssembleResult, RefusesImpossibleFacts) {
    struct test_case {
        const char* name;
        std::function<void(findings&, file_facts&, json&)> change;
    };
    const std::vector<test_case> cases = {
        {"no duration", [](auto&, auto& file, auto&) { file.probe.duration_seconds = 0; }},
        {"duration not a number",
         [](auto&, auto& file, auto&) { file.probe.duration_seconds = std::nan(""); }},
        {"endless", [](auto&, auto& file, auto&) { file.probe.duration_seconds = INFINITY; }},
        {"frame rate not a number",
         [](auto&, auto& file, auto&) { file.probe.frame_rate = std::nan(""); }},
        {"no width", [](auto&, auto& file, auto&) { file.probe.width = 0; }},
        {"no codec", [](auto&, auto& file, auto&) { file.probe.video_codec = ""; }},
        {"no bytes", [](auto&, auto& file, auto&) { file.size_bytes = 0; }},
        {"half a hash", [](auto&, auto& file, auto&) { file.sha256 = "abc"; }},
        {"an upper-case hash",
         [](auto&, auto& file, auto&) { file.sha256 = std::string(64, 'A'); }},
        {"no provider", [](auto& reported, auto&, auto&) { reported.provider = ""; }},
        {"no model", [](auto& reported, auto&, auto&) { reported.model_name = " "; }},
        {"no code", [](auto&, auto&, auto& post) { post["code"] = ""; }},
        {"no link", [](auto&, auto&, auto& post) { post["url"] = "\x01"; }},
        {"a link too long",
         [](auto&, auto&, auto& post) {
             post["url"] = std::string(bounds::url_characters_max + 1, 'x');
         }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        auto reported = testing::make_findings();
        auto file = testing::make_file();
        auto post = testing::make_post();
        expected.change(reported, file, post);

        const auto document = assemble_result(reported, file, post);

        ASSERT_FALSE(document);
        EXPECT_EQ(document.error().code(), errc::internal);
    }
}

TEST(ResultDocument, WordsAreWithinTheirSegments) {
    auto reported = testing::make_findings();
    reported.audio.segments = {{"Hello world.", 0.5, 2}, {"Bye.", 2, 3}, {"No words.", 3.5, 4}};
    reported.audio.words = {
        {"Hello", 0.4, 1}, {"world.", 1, 2.2}, {"Bye.", 2, 2.9}, {"late", 4.5, 5}};
    const auto audio = json::parse(assembled(reported))["audio"];
    EXPECT_EQ(
        audio["segments"].dump(),
        R"([{"text":"Hello world.","start_seconds":0.5,"end_seconds":2.0,"words":[)"
        R"({"text":"Hello","start_seconds":0.5,"end_seconds":1.0},)"
        R"({"text":"world.","start_seconds":1.0,"end_seconds":2.0}]},)"
        R"({"text":"Bye.","start_seconds":2.0,"end_seconds":3.0,"words":[)"
        R"({"text":"Bye.","start_seconds":2.0,"end_seconds":2.9}]},)"
        R"({"text":"No words.","start_seconds":3.5,"end_seconds":4.0}])");
}

TEST(ResultDocument, WordsStayWithTheirSegmentWhereTwoOverlap) {
    auto reported = testing::make_findings();
    reported.audio.segments = {{"It is it.", 0.5, 2}, {"Is this it?", 1, 3}};
    reported.audio.words = {
        {"It", 0.5, 1},
        {"is", 1, 1.5},
        {"it", 1.5, 2},
        {"Is", 1, 1.6},
        {"this", 1.6, 2},
        {"it", 2, 3}};
    const auto segments = json::parse(assembled(reported))["audio"]["segments"];
    std::vector<std::string> texts;
    for (const auto& segment : segments) {
        for (const auto& word : segment["words"]) texts.push_back(word["text"]);
        texts.emplace_back("|");
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"It", "is", "it", "|", "Is", "this", "it", "|"}));
}

TEST(ResultDocument, TopicsHaveNoSign) {
    auto reported = testing::make_findings();
    reported.content.topics = {"#pasta", "pasta", "# fresh beans", "C#"};
    EXPECT_EQ(
        json::parse(assembled(reported))["content"]["topics"],
        json::parse(R"(["pasta","fresh beans","C#"])"));
}

TEST(ResultDocument, TextOnScreenIsListedOnceHoweverItsAccentsAreEncoded) {
    auto reported = testing::make_findings();
    reported.visual.texts = {{"caf\u00e9", 0, 1}, {"cafe\u0301", 1, 2}};
    EXPECT_EQ(
        json::parse(assembled(reported))["visual"]["text_on_screen"],
        json::parse(R"(["caf\u00e9"])"));
}

// Goal: a word without length at the start of a segment is not moved to the one before it.
TEST(ResultDocument, WordsAtABoundaryBelongToTheLaterSegment) {
    auto reported = testing::make_findings();
    reported.audio.segments = {{"One.", 0, 2}, {"Two.", 2, 3}, {"Three.", 4, 5}};
    reported.audio.words = {{"One.", 0, 1}, {"Two", 2, 2}, {".", 3, 3}, {"Three.", 5, 5}};
    const auto segments = json::parse(assembled(reported))["audio"]["segments"];
    ASSERT_EQ(segments[0]["words"].size(), 1U);
    ASSERT_EQ(segments[1]["words"].size(), 2U) << "the next one begins later";
    EXPECT_EQ(segments[1]["words"][0]["text"], "Two");
    ASSERT_EQ(segments[2]["words"].size(), 1U) << "the last one keeps what is at its end";
}

}  // namespace
}  // namespace reelsd::model
