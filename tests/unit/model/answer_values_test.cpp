#include "answer/answer_values.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace reelsd::model {
namespace {

struct test_case {
    const char* text;
    double duration;
    double seconds;
    bool moved = false;
};

// Goal: every notation of a time is understood, and the time is in the video.
TEST(ReadTime, AcceptsEveryNotation) {
    constexpr test_case cases[] = {
        {"7", 90, 7},
        {"0:07", 90, 7},
        {"01:05", 90, 65},
        {"01:05.250", 90, 65.25},
        {"01:05,250", 90, 65.25},
        {"0:01:05", 90, 65},
        {"00:01:05.5", 90, 65.5},
        {"00:01:05:12", 90, 65},
        {"1m30s", 90, 90},
        {"1 min 5 sec", 90, 65},
        {"1m5", 90, 65},
        {"12.5s", 90, 12.5},
        {"500ms", 90, 0.5},
        {"4,5", 90, 4.5},
        {" [00:03] ", 90, 3},
        {"(~0:03)", 90, 3},
        {"00:75", 90, 75},
        {"-1", 90, 0},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto read = read_time(expected.text, expected.duration);
        ASSERT_TRUE(read);
        EXPECT_DOUBLE_EQ(read->seconds, expected.seconds);
        EXPECT_EQ(read->past_end_seconds, 0);
    }
}

TEST(ReadTime, RetriesTimesPastTheEnd) {
    constexpr test_case cases[] = {
        {"130", 95, 90},  // MMSS without its colon
        {"0130", 95, 90},
        {"130", 200, 130},       // fits as seconds
        {"00:12:40", 20, 12.4},  // MM:SS:ff
        {"1:10:99", 80, 70.99},
        {"0:20.4", 20, 20},    // a frame past the end is the end
        {"0:13", 12.4, 12.4},  // the prompt names this end
        {"13", 12.4, 12.4},
        {"0:14", 12.4, 12.4, true},
        {"180", 95, 95, true},  // 80 is not a number of seconds
        {"2:00", 95, 95, true},
        {"01:99:99", 30, 30, true},
        {"999999999h", 30, 30, true},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto read = read_time(expected.text, expected.duration);
        ASSERT_TRUE(read);
        EXPECT_DOUBLE_EQ(read->seconds, expected.seconds);
        EXPECT_EQ(read->past_end_seconds > 0, expected.moved);
    }
}

TEST(ReadTime, RefusesOtherText) {
    for (const auto* text :
         {"",
          " ",
          "soon",
          "1:",
          ":1",
          "1::2",
          "1:2:3:4:5",
          "1x",
          "s",
          "--1",
          "0x10",
          "1e5",
          "[]",
          "1234567890",
          "00:03 to 00:05",
          "the whole of the video, from its very beginning to its end"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(read_time(text, 90));
    }
}

TEST(ReadTime, AcceptsNumbers) {
    EXPECT_EQ(read_time(12.5, 90)->seconds, 12.5);
    EXPECT_EQ(read_time(-3.0, 90)->seconds, 0);
    EXPECT_EQ(read_time(130.0, 95)->seconds, 90);
    EXPECT_EQ(read_time(130.5, 95)->seconds, 95);
    EXPECT_EQ(read_time(130.5, 95)->past_end_seconds, 35.5);
    EXPECT_FALSE(read_time(std::numeric_limits<double>::quiet_NaN(), 95));
}

TEST(ReadTime, AcceptsInvalidDurations) {
    EXPECT_EQ(read_time("0:05", -1)->seconds, 0);
    EXPECT_EQ(read_time(5.0, std::numeric_limits<double>::quiet_NaN())->seconds, 0);
}

}  // namespace
}  // namespace reelsd::model
