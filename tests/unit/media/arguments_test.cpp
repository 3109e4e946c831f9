#include "child/arguments.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace reelsd::media {
namespace {

result<arguments> read(std::vector<const char*> words) {
    words.insert(words.begin(), "reelsd-media");
    return read_arguments(static_cast<int>(words.size()), words.data());
}

TEST(Arguments, ReadsEachOption) {
    const auto given = read(
        {"analyze",
         "--video",
         "a.mp4",
         "--seconds-max",
         "12.5",
         "--tessdata",
         "/t",
         "--speech-model",
         "/s",
         "--parent",
         "77"});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->command, command::analyze);
    EXPECT_EQ(given->video, "a.mp4");
    EXPECT_DOUBLE_EQ(given->seconds_max, 12.5);
    EXPECT_EQ(given->tessdata, "/t");
    EXPECT_EQ(given->speech_model, "/s");
    EXPECT_EQ(given->parent, 77);
}

TEST(Arguments, HasDefaults) {
    const auto given = read({"probe", "--video", "a.mp4"});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->command, command::probe);
    EXPECT_DOUBLE_EQ(given->seconds_max, 90);
    EXPECT_FALSE(given->tessdata.empty());
    EXPECT_TRUE(read({"doctor"}));
    EXPECT_EQ(read({"thumbnail", "--video", "a.mp4"})->command, command::thumbnail);
    EXPECT_EQ(read({"join", "--video", "a.mp4", "--sound", "b.mp4"})->sound, "b.mp4");
}

TEST(Arguments, RefusesTheRest) {
    const std::vector<const char*> cases[] = {
        {},
        {"play", "--video", "a.mp4"},
        {"probe"},
        {"thumbnail"},
        {"join", "--video", "a.mp4"},
        {"join", "--sound", "a.mp4"},
        {"probe", "--video"},
        {"probe", "--video", "a.mp4", "--seconds-max", "0"},
        {"probe", "--video", "a.mp4", "--seconds-max", "-1"},
        {"probe", "--video", "a.mp4", "--seconds-max", "nan"},
        {"probe", "--video", "a.mp4", "--seconds-max", "1e9"},
        {"probe", "--video", "a.mp4", "--seconds-max", "9x"},
        {"probe", "--video", "a.mp4", "--parent", "0"},
        {"probe", "--video", "a.mp4", "--loud", "1"},
    };
    for (const auto& words : cases) {
        SCOPED_TRACE(words.empty() ? "nothing" : words.back());
        EXPECT_FALSE(read(words));
    }
}

}  // namespace
}  // namespace reelsd::media
