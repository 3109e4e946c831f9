#include "child/commands.hpp"
#include <reelsd/base/json.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace reelsd::media {
namespace {

TEST(CleanText, ReplacesControlCharactersAndInvalidBytes) {
    EXPECT_EQ(clean_text("plain", 100), "plain");
    EXPECT_EQ(clean_text("a\tb\nc", 100), "a b c");
    EXPECT_EQ(
        clean_text(
            "a\xff"
            "b",
            100),
        "a b");
    EXPECT_EQ(clean_text("\xe2\x82\xac", 100), "\xe2\x82\xac");
    EXPECT_EQ(clean_text("\xe2\x82", 100), "  ");
    // Does not split a character.
    EXPECT_EQ(clean_text("ab\xe2\x82\xac", 4), "ab");
}

// Goal: the daemon accepts any report after tidy().
TEST(Tidy, MakesReportsAcceptable) {
    analysis_report report;
    report.probe = {
        .duration_seconds = 10,
        .width = 720,
        .height = 1280,
        .frame_rate = 30,
        .video_codec = "h264",
        .audio_codec = "aac"};
    report.texts = {
        {"late", 9, 11},
        {"backwards", 5, 4},
        {"nowhere", std::numeric_limits<double>::quiet_NaN(), 3},
        {"", 0, 1},
        {std::string(5'000, 'x'), 0, 1},
        {"b\x01"
         "d\xff",
         -1,
         1}};
    report.audio.speech.segments.assign(2'000, {"word", 0, 1});
    report.audio.music.start_seconds = 12;
    report.audio.music.tempo_bpm = std::numeric_limits<double>::infinity();
    report.picture.cuts = {1, 2, 11};

    tidy(report);

    const auto read = analysis_report_from_json(json::parse(to_json(report).dump()));
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->texts.size(), 5U);
    EXPECT_EQ(read->texts.front().end_seconds, 10);
    EXPECT_EQ(read->audio.speech.segments.size(), report_bounds::texts_max);
    EXPECT_FALSE(read->audio.music.tempo_bpm);
    EXPECT_EQ(read->picture.cuts.size(), 2U);
}

}  // namespace
}  // namespace reelsd::media
