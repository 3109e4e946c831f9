#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <gtest/gtest.h>

#include <string>

namespace reelsd::media {
namespace {

analysis_report full_report() {
    analysis_report report;
    report.probe = {
        .duration_seconds = 12.5,
        .missing_seconds = 1.5,
        .width = 720,
        .height = 1280,
        .frame_rate = 29.97,
        .video_codec = "h264",
        .audio_codec = "aac"};
    report.texts = {{"Tomato soup \xe2\x82\xac 5", 0.25, 3.5}, {"the end", 10, 12.5}};
    report.audio.silent = false;
    report.audio.speech = {.segments = {{"hello everyone", 0.5, 2.25}}, .doubtful = true};
    report.audio.music = {
        .present = true,
        .start_seconds = 1.5,
        .tempo_bpm = 120,
        .strong_beat = true,
        .under_speech = true,
        .level = "loud",
        .brightness = "dark"};
    report.picture = {
        .cuts = {3.0, 6.25},
        .motion = 0.125,
        .brightness = 0.5,
        .saturation = 0.25,
        .colours = {"green", "white"}};
    return report;
}

json parsed(const analysis_report& report) {
    return json::parse(to_json(report).dump());
}

// Goal: a report is the same after writing and reading. Method: write, read, write again.
TEST(Report, SurvivesTheRoundTrip) {
    const auto written = parsed(full_report());
    const auto read = analysis_report_from_json(written);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(to_json(*read), written);
    EXPECT_EQ(read->texts.at(0).text, "Tomato soup \xe2\x82\xac 5");
    EXPECT_EQ(read->audio.music.tempo_bpm, 120);
    EXPECT_EQ(read->picture.colours.at(1), "white");
}

TEST(Report, SurvivesTheRoundTripWhenAlmostEmpty) {
    analysis_report report;
    report.probe = {
        .duration_seconds = 1,
        .width = 1,
        .height = 1,
        .frame_rate = 0,
        .video_codec = "vp9",
        .audio_codec = std::nullopt,
        .audio_is_decodable = false};
    const auto read = analysis_report_from_json(parsed(report));
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_FALSE(read->probe.audio_codec);
    EXPECT_FALSE(read->probe.audio_is_decodable);
    EXPECT_FALSE(read->audio.music.start_seconds);
    EXPECT_TRUE(read->audio.silent);
}

// Goal: hostile documents are rejected. Method: one fault at a time in a good one, by JSON patch.
TEST(Report, RejectsHostileDocuments) {
    struct test_case {
        const char* name;
        const char* patch;
        const char* fault;
    };
    const test_case cases[] = {
        {"missing member", R"([{"op":"remove","path":"/probe/width"}])", "probe.width is missing"},
        {"missing section", R"([{"op":"remove","path":"/audio"}])", "audio is missing"},
        {"unknown member", R"([{"op":"add","path":"/probe/x","value":1}])", "unknown member"},
        {"unknown section", R"([{"op":"add","path":"/x","value":1}])", "unknown member"},
        {"text for number", R"([{"op":"replace","path":"/probe/width","value":"720"}])", "number"},
        {"fraction for whole", R"([{"op":"replace","path":"/probe/width","value":7.5}])", "whole"},
        {"zero width", R"([{"op":"replace","path":"/probe/width","value":0}])", "range"},
        {"huge width", R"([{"op":"replace","path":"/probe/width","value":1e300}])", "range"},
        {"negative duration",
         R"([{"op":"replace","path":"/probe/duration_seconds","value":-1}])",
         "range"},
        {"null for number",
         R"([{"op":"replace","path":"/probe/duration_seconds","value":null}])",
         "number"},
        {"section of another type", R"([{"op":"replace","path":"/picture","value":[]}])", "object"},
        {"no thumbnail",
         R"([{"op":"remove","path":"/thumbnail"}])",
         "analysis.thumbnail is missing"},
        {"half a thumbnail",
         R"([{"op":"replace","path":"/thumbnail","value":{"jpeg":""}}])",
         "JPEG"},
        {"list of another type", R"([{"op":"replace","path":"/texts","value":{}}])", "array"},
        {"element of another type", R"([{"op":"replace","path":"/texts/0","value":7}])", "object"},
        {"text past the end",
         R"([{"op":"replace","path":"/texts/1/end_seconds","value":12.501}])",
         "range"},
        {"text ends before it starts",
         R"([{"op":"replace","path":"/texts/1/end_seconds","value":9.9}])",
         "range"},
        {"control character",
         R"([{"op":"replace","path":"/texts/0/text","value":"a\u0000b"}])",
         "control characters"},
        {"line break",
         R"([{"op":"replace","path":"/texts/0/text","value":"a\nb"}])",
         "control characters"},
        {"number for truth", R"([{"op":"replace","path":"/audio/silent","value":1}])", "boolean"},
        {"unknown level",
         R"([{"op":"replace","path":"/audio/music/level","value":"deafening"}])",
         "known value"},
        {"speech past the end",
         R"([{"op":"replace","path":"/audio/speech/segments/0/end_seconds","value":13}])",
         "range"},
        {"tempo of zero",
         R"([{"op":"replace","path":"/audio/music/tempo_bpm","value":0}])",
         "range"},
        {"cuts out of order", R"([{"op":"replace","path":"/picture/cuts/0","value":7}])", "order"},
        {"cut that is not a number",
         R"([{"op":"replace","path":"/picture/cuts/0","value":"x"}])",
         "order"},
        {"motion over 1", R"([{"op":"replace","path":"/picture/motion","value":1.1}])", "range"},
        {"too many colours",
         R"([{"op":"replace","path":"/picture/colours","value":["a","b","c","d"]}])",
         "too many"},
        {"number for colour",
         R"([{"op":"replace","path":"/picture/colours/0","value":1}])",
         "string"},
    };
    const auto good = parsed(full_report());
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto read = analysis_report_from_json(good.patch(json::parse(expected.patch)));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_NE(read.error().detail().find(expected.fault), std::string::npos)
            << read.error().detail();
    }
}

TEST(Report, RejectsOtherTypes) {
    for (const auto* text : {"null", "[]", "1", "\"x\"", "true"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(analysis_report_from_json(json::parse(text)));
        EXPECT_FALSE(probe_report_from_json(json::parse(text)));
    }
}

// Goal: each bound holds at the bound and not one past it.
TEST(Report, ObservesItsBounds) {
    auto document = parsed(full_report());
    document["texts"][0]["text"] = std::string(report_bounds::text_bytes_max, 'a');
    EXPECT_TRUE(analysis_report_from_json(document));
    document["texts"][0]["text"] = std::string(report_bounds::text_bytes_max + 1, 'a');
    EXPECT_FALSE(analysis_report_from_json(document));

    document = parsed(full_report());
    const json text = document["texts"][0];
    document["texts"] = json(report_bounds::texts_max, text);
    EXPECT_TRUE(analysis_report_from_json(document));
    document["texts"].push_back(text);
    EXPECT_FALSE(analysis_report_from_json(document));

    document = parsed(full_report());
    document["picture"]["cuts"] = json(report_bounds::cuts_max, json(1.0));
    EXPECT_TRUE(analysis_report_from_json(document));
    document["picture"]["cuts"].push_back(1.0);
    EXPECT_FALSE(analysis_report_from_json(document));

    document = parsed(full_report());
    document["probe"]["video_codec"] = std::string(report_bounds::codec_bytes_max + 1, 'a');
    EXPECT_FALSE(analysis_report_from_json(document));
}

// Goal: exactly RFC 3629 without control characters.
TEST(CleanText, IsUtf8WithoutControlCharacters) {
    struct test_case {
        const char* name;
        std::string text;
        bool clean;
    };
    const test_case cases[] = {
        {"empty", "", true},
        {"ascii", "Hello, world ~", true},
        {"two bytes", "\xc3\xa9", true},
        {"three bytes", "\xe2\x82\xac", true},
        {"four bytes", "\xf0\x9f\x8d\x85", true},
        {"last code point", "\xf4\x8f\xbf\xbf", true},
        {"past the last", "\xf4\x90\x80\x80", false},
        {"lead byte past the last", "\xf5\x80\x80\x80", false},
        {"overlong two", "\xc0\xaf", false},
        {"overlong three", "\xe0\x9f\xbf", false},
        {"overlong four", "\xf0\x8f\xbf\xbf", false},
        {"surrogate", "\xed\xa0\x80", false},
        {"before surrogates", "\xed\x9f\xbf", true},
        {"lone continuation", "\x80", false},
        {"cut short", "\xe2\x82", false},
        {"broken inside", "\xe2\x28\xa1", false},
        {"NUL", std::string("a\0b", 3), false},
        {"tab", "a\tb", false},
        {"delete", "a\x7f", false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_EQ(is_clean_text(expected.text), expected.clean);
    }
}

}  // namespace
}  // namespace reelsd::media
