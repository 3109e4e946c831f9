#include "picture/picture_meter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::media::picture {
namespace {

TEST(ColourNames, AreTheUsualOnes) {
    struct test_case {
        std::uint8_t red;
        std::uint8_t green;
        std::uint8_t blue;
        const char* name;
    };
    constexpr test_case cases[] = {
        {0, 0, 0, "black"},
        {20, 25, 30, "black"},
        {255, 255, 255, "white"},
        {128, 128, 128, "grey"},
        {255, 0, 0, "red"},
        {140, 10, 10, "red"},
        {255, 140, 0, "orange"},
        {255, 255, 0, "yellow"},
        {0, 200, 0, "green"},
        {0, 60, 0, "green"},
        {0, 220, 210, "turquoise"},
        {0, 0, 255, "blue"},
        {0, 0, 128, "blue"},
        {130, 0, 200, "purple"},
        {255, 105, 180, "pink"},
        {255, 182, 193, "pink"},
        {120, 70, 20, "brown"},
        {222, 200, 170, "beige"},
    };
    for (const auto& [red, green, blue, name] : cases) {
        EXPECT_EQ(colour_names[colour_of(red, green, blue)], name)
            << int{red} << " " << int{green} << " " << int{blue};
    }
}

TEST(DominantColours, AreTheStrongestThree) {
    colour_counts counts{};
    EXPECT_TRUE(dominant_colours(counts).empty());
    counts[0] = 10;
    counts[1] = 50;
    counts[2] = 20;
    counts[3] = 20;
    EXPECT_THAT(dominant_colours(counts), ::testing::ElementsAre("white", "grey", "red"));
    counts = {};
    counts[8] = 93;
    counts[6] = 7;  // Under 8 %: not a colour of the video.
    EXPECT_THAT(dominant_colours(counts), ::testing::ElementsAre("blue"));
}

}  // namespace
}  // namespace reelsd::media::picture
