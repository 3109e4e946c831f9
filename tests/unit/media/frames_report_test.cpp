// Goal: pictures in the report of a compromised helper are consecutive in its file, or it is
// rejected.
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::media {
namespace {

using ::testing::HasSubstr;

json document_of(const frames_report& report) {
    return json::parse(to_json(report).dump());
}

frames_report three() {
    return {
        .frames = {
            {.seconds = 0, .offset = 0, .bytes = 900},
            {.seconds = 1.5, .offset = 900, .bytes = 1'000},
            {.seconds = 3, .offset = 1'900, .bytes = report_bounds::frame_bytes_max}}};
}

TEST(FramesReport, SurvivesTheRoundTrip) {
    const auto written = document_of(three());
    const auto read = frames_report_from_json(written);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(document_of(*read), written);
    ASSERT_EQ(read->frames.size(), 3U);
    EXPECT_DOUBLE_EQ(read->frames.at(1).seconds, 1.5);
    EXPECT_EQ(read->frames.at(2).offset, 1'900U);
}

TEST(FramesReport, RejectsHostileDocuments) {
    struct test_case {
        const char* name;
        const char* patch;
        const char* fault;
    };
    const test_case cases[] = {
        {"no list", R"([{"op":"replace","path":"/frames","value":{}}])", "is not an array"},
        {"no frame", R"([{"op":"replace","path":"/frames","value":[]}])", "is empty"},
        {"nothing", R"([{"op":"remove","path":"/frames"}])", "is missing"},
        {"more", R"([{"op":"add","path":"/size","value":1}])", "unknown member"},
        {"more in a frame",
         R"([{"op":"add","path":"/frames/1/size","value":1}])",
         "unknown member"},
        {"no object", R"([{"op":"replace","path":"/frames/1","value":7}])", "is not an object"},
        {"no time", R"([{"op":"remove","path":"/frames/1/seconds"}])", "is missing"},
        {"a time of text",
         R"([{"op":"replace","path":"/frames/1/seconds","value":"1"}])",
         "number"},
        {"a negative time", R"([{"op":"replace","path":"/frames/0/seconds","value":-1}])", "range"},
        {"a time out of range",
         R"([{"op":"replace","path":"/frames/2/seconds","value":1e9}])",
         "range"},
        {"equal times", R"([{"op":"replace","path":"/frames/1/seconds","value":0}])", "order"},
        {"descending times", R"([{"op":"replace","path":"/frames/1/seconds","value":4}])", "order"},
        {"a late start", R"([{"op":"replace","path":"/frames/0/offset","value":1}])", "order"},
        {"a gap", R"([{"op":"replace","path":"/frames/1/offset","value":901}])", "order"},
        {"an overlap", R"([{"op":"replace","path":"/frames/1/offset","value":899}])", "order"},
        {"a huge offset",
         R"([{"op":"replace","path":"/frames/1/offset","value":18446744073709551615}])",
         "range"},
        {"a negative offset",
         R"([{"op":"replace","path":"/frames/1/offset","value":-1}])",
         "bytes"},
        {"no bytes", R"([{"op":"replace","path":"/frames/1/bytes","value":0}])", "range"},
        {"half a byte", R"([{"op":"replace","path":"/frames/1/bytes","value":0.5}])", "bytes"},
        {"a huge picture",
         R"([{"op":"replace","path":"/frames/2/bytes","value":524289}])",
         "range"},
    };
    for (const auto& [name, patch, fault] : cases) {
        SCOPED_TRACE(name);
        const auto read = frames_report_from_json(document_of(three()).patch(json::parse(patch)));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_THAT(read.error().detail(), HasSubstr(fault));
    }
}

TEST(FramesReport, LimitsTheNumberOfPictures) {
    frames_report many;
    for (std::size_t at = 0; at < report_bounds::frames_max; ++at) {
        many.frames.push_back({.seconds = static_cast<double>(at), .offset = at, .bytes = 1});
    }
    EXPECT_TRUE(frames_report_from_json(document_of(many)));
    many.frames.push_back({.seconds = 1'000, .offset = report_bounds::frames_max, .bytes = 1});
    const auto read = frames_report_from_json(document_of(many));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().detail(), HasSubstr("too many"));
}

}  // namespace
}  // namespace reelsd::media
