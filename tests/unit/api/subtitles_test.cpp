#include "api/subtitles.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

const std::vector<subtitle_cue> two_cues{
    {.begin = 500ms, .end = 3100ms, .lines = {"Grüße, 咖啡"}},
    {.begin = 1h + 2min + 3s + 4ms, .end = 99h + 59min + 59s + 999ms, .lines = {"one", "two"}}};

const std::vector<subtitle_cue> marked_up{
    {.begin = 0ms, .end = 1ms, .lines = {"<b>a</b> & b", "{\\an8}00:00 --> 00:01 ---->"}}};

TEST(SubripText, NumbersCuesAndUsesDecimalCommas) {
    EXPECT_EQ(subrip_text({}), "");
    EXPECT_EQ(
        subrip_text(two_cues),
        "1\n00:00:00,500 --> 00:00:03,100\nGrüße, 咖啡\n\n"
        "2\n01:02:03,004 --> 99:59:59,999\none\ntwo\n");
}

TEST(SubripText, ReplacesTimesAndMarkup) {
    EXPECT_EQ(
        subrip_text(marked_up),
        "1\n00:00:00,000 --> 00:00:00,001\n‹b›a‹/b› & b\n(\\an8)00:00 → 00:01 --→\n");
}

TEST(WebvttText, HasAHeaderAndUsesDecimalPoints) {
    EXPECT_EQ(webvtt_text({}), "WEBVTT\n");
    EXPECT_EQ(
        webvtt_text(two_cues),
        "WEBVTT\n\n00:00:00.500 --> 00:00:03.100\nGrüße, 咖啡\n\n"
        "01:02:03.004 --> 99:59:59.999\none\ntwo\n");
}

TEST(WebvttText, EscapesMarkup) {
    EXPECT_EQ(
        webvtt_text(marked_up),
        "WEBVTT\n\n00:00:00.000 --> 00:00:00.001\n&lt;b&gt;a&lt;/b&gt; &amp; b\n"
        "{\\an8}00:00 --&gt; 00:01 ----&gt;\n");
}

TEST(WebvttText, HasTheTimesOfWords) {
    EXPECT_EQ(
        webvtt_text(
            {{.begin = 0ms,
              .end = 3000ms,
              .lines = {"a < b", "c"},
              .parts = {{0, 2, 500ms}, {1, 0, 1500ms}}}}),
        "WEBVTT\n\n00:00:00.000 --> 00:00:03.000\na <00:00:00.500>&lt; b\n<00:00:01.500>c\n");
}

TEST(TranscriptOf, ReadsWords) {
    const auto spoken =
        transcript_of(R"({"audio":{"segments":[{"text":"a","start_seconds":0.5,"end_seconds":3,)"
                      R"("words":[{"text":"a","start_seconds":1,"end_seconds":2}]}]},)"
                      R"("platform_meta":{"code":"x"}})");
    ASSERT_TRUE(spoken);
    ASSERT_EQ(spoken->spoken[0].words.size(), 1U);
    EXPECT_EQ(spoken->spoken[0].words[0].start_seconds, 1.0);
}

TEST(TranscriptOf, ReadsAStoredResult) {
    const auto spoken = transcript_of(
        R"({"audio":{"segments":[{"text":"a\nb","start_seconds":0.5,"end_seconds":3}]},)"
        R"("platform_meta":{"code":"DYa0IXPgnP5"}})");
    ASSERT_TRUE(spoken);
    EXPECT_EQ(spoken->code, "DYa0IXPgnP5");
    ASSERT_EQ(spoken->spoken.size(), 1U);
    EXPECT_EQ(spoken->spoken[0].text, "a\nb");
    EXPECT_EQ(spoken->spoken[0].start_seconds, 0.5);
    EXPECT_EQ(spoken->spoken[0].end_seconds, 3.0);
    const auto silent = transcript_of(R"({"audio":{"segments":[]},"platform_meta":{"code":"x"}})");
    ASSERT_TRUE(silent);
    EXPECT_TRUE(silent->spoken.empty());
}

TEST(TranscriptOf, RejectsInvalidResults) {
    // A recursive copy would overflow the stack.
    const auto deep = R"({"audio":{"segments":[]},"platform_meta":{"code":"x"},"more":)" +
                      std::string(100'000, '[') + std::string(100'000, ']') + "}";
    for (const auto* text :
         {deep.c_str(),
          "",
          "{",
          "[]",
          "{}",
          R"({"audio":{"segments":[]}})",
          R"({"audio":{"segments":[{}]},"platform_meta":{"code":"x"}})",
          R"({"audio":{"segments":[]},"platform_meta":{"code":7}})"}) {
        const auto parsed = transcript_of(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().code(), errc::internal);
    }
}

// Goal: no code can change the header or name another folder.
TEST(AttachmentNamed, ContainsOnlySafeCharacters) {
    EXPECT_EQ(
        attachment_named("DYa0_-XPgnP5", {42}, "srt"), "attachment; filename=\"DYa0_-XPgnP5.srt\"");
    EXPECT_EQ(
        attachment_named("../a\"; b\r\nX: y\\é", {42}, "vtt"), "attachment; filename=\"abXy.vtt\"");
    EXPECT_EQ(attachment_named("", {42}, "srt"), "attachment; filename=\"reel-42.srt\"");
    EXPECT_EQ(attachment_named("咖啡", {7}, "srt"), "attachment; filename=\"reel-7.srt\"");
    EXPECT_EQ(
        attachment_named(std::string(1000, 'a'), {42}, "srt"),
        "attachment; filename=\"" + std::string(64, 'a') + ".srt\"");
}

}  // namespace
}  // namespace reelsd::api
