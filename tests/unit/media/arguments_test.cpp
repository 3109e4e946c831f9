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
         "--text-models",
         "/t",
         "--speech-models",
         "/s",
         "--parent",
         "77"});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->command, command::analyze);
    EXPECT_EQ(given->video, "a.mp4");
    EXPECT_DOUBLE_EQ(given->seconds_max, 12.5);
    EXPECT_EQ(given->text_models, "/t");
    EXPECT_EQ(given->speech_models, "/s");
    EXPECT_EQ(given->parent, 77);
}

TEST(Arguments, HasDefaults) {
    const auto given = read({"probe", "--video", "a.mp4"});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->command, command::probe);
    EXPECT_DOUBLE_EQ(given->seconds_max, 90);
    EXPECT_TRUE(given->text_models.ends_with("share/reelsd/text-models"));
    EXPECT_TRUE(read({"doctor"}));
    EXPECT_EQ(read({"thumbnail", "--video", "a.mp4"})->command, command::thumbnail);
    EXPECT_EQ(read({"join", "--video", "a.mp4", "--sound", "b.mp4"})->sound, "b.mp4");
}

TEST(Arguments, ReadsThoseForPicturesAndSound) {
    const auto frames = read(
        {"frames",
         "--video",
         "a.mp4",
         "--per-second",
         "0.5",
         "--count-max",
         "12",
         "--long-edge",
         "512"});
    ASSERT_TRUE(frames);
    EXPECT_EQ(frames->command, command::frames);
    EXPECT_DOUBLE_EQ(frames->frames.per_second, 0.5);
    EXPECT_EQ(frames->frames.count_max, 12U);
    EXPECT_EQ(frames->frames.long_edge, 512);
    EXPECT_EQ(read({"sound", "--video", "a.mp4"})->command, command::sound);
    EXPECT_EQ(read({"transcode", "--video", "a.mp4"})->command, command::transcode);
    const auto check = read({"check", "--video", "a.mp4", "--at", "0,3.5,3.5,7.250000"});
    ASSERT_TRUE(check);
    EXPECT_EQ(check->command, command::check);
    EXPECT_EQ(check->at_seconds, (std::vector<double>{0, 3.5, 3.5, 7.25}));
    EXPECT_TRUE(read({"check", "--video", "a.mp4"})->at_seconds.empty());
    EXPECT_TRUE(read({"check", "--video", "a.mp4", "--at", "1,2,3,4,5,6,7,8"}));
    const auto stills = read({"stills", "--video", "a.mp4", "--at", "1,2,3,4,5,6,7,8,9"});
    ASSERT_TRUE(stills);
    EXPECT_EQ(stills->command, command::stills);
    EXPECT_EQ(stills->at_seconds.size(), 9U);
    EXPECT_EQ(read({"analyze", "--video", "a.mp4"})->stills_max, 0U);
    EXPECT_EQ(read({"analyze", "--video", "a.mp4", "--stills-max", "20"})->stills_max, 20U);
}

TEST(Arguments, RejectsInvalidArguments) {
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
        {"frames", "--per-second", "1"},
        {"frames", "--video", "a.mp4", "--per-second", "0"},
        {"frames", "--video", "a.mp4", "--per-second", "25"},
        {"frames", "--video", "a.mp4", "--per-second", "nan"},
        {"frames", "--video", "a.mp4", "--count-max", "0"},
        {"frames", "--video", "a.mp4", "--count-max", "-1"},
        {"frames", "--video", "a.mp4", "--count-max", "257"},
        {"frames", "--video", "a.mp4", "--count-max", "1.5"},
        {"frames", "--video", "a.mp4", "--long-edge", "15"},
        {"frames", "--video", "a.mp4", "--long-edge", "1281"},
        {"check", "--video", "a.mp4", "--at", ""},
        {"check", "--video", "a.mp4", "--at", "1,"},
        {"check", "--video", "a.mp4", "--at", ",1"},
        {"check", "--video", "a.mp4", "--at", "1;2"},
        {"check", "--video", "a.mp4", "--at", "2,1"},
        {"check", "--video", "a.mp4", "--at", "-1"},
        {"check", "--video", "a.mp4", "--at", "nan"},
        {"check", "--video", "a.mp4", "--at", "86401"},
        {"check", "--video", "a.mp4", "--at", "1,2,3,4,5,6,7,8,9"},
        {"stills", "--video", "a.mp4"},
        {"analyze", "--video", "a.mp4", "--stills-max", "0"},
        {"analyze", "--video", "a.mp4", "--stills-max", "21"},
        {"stills", "--video", "a.mp4", "--at", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"},
    };
    for (const auto& words : cases) {
        SCOPED_TRACE(words.empty() ? "nothing" : words.back());
        EXPECT_FALSE(read(words));
    }
}

}  // namespace
}  // namespace reelsd::media
