#include "picture/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace reelsd::media::picture {
namespace {

TEST(QuarterTurns, AreTheNearest) {
    EXPECT_EQ(quarter_turns_of(0), quarter_turns::none);
    EXPECT_EQ(quarter_turns_of(90), quarter_turns::right);
    EXPECT_EQ(quarter_turns_of(-90), quarter_turns::left);
    EXPECT_EQ(quarter_turns_of(270), quarter_turns::left);
    EXPECT_EQ(quarter_turns_of(180), quarter_turns::half);
    EXPECT_EQ(quarter_turns_of(-180), quarter_turns::half);
    EXPECT_EQ(quarter_turns_of(360), quarter_turns::none);
    EXPECT_EQ(quarter_turns_of(85), quarter_turns::right);
    EXPECT_EQ(quarter_turns_of(1e300), quarter_turns_of(std::fmod(1e300, 360.0)));
    EXPECT_EQ(quarter_turns_of(std::nan("")), quarter_turns::none);
}

/// The red samples of a picture of 3 x 2 pixels, numbered row by row, after turning.
std::vector<int> turned(orientation shown, int& width) {
    std::vector<std::uint8_t> source;
    for (std::uint8_t number = 1; number <= 6; ++number)
        source.insert(source.end(), {number, 0, 0});
    std::vector<std::uint8_t> pixels;
    const view result =
        turn_rgb({.pixels = source.data(), .width = 3, .height = 2, .stride = 9}, shown, pixels);
    width = result.width;
    std::vector<int> reds;
    for (std::size_t at = 0; at < pixels.size(); at += 3) reds.push_back(pixels[at]);
    return reds;
}

TEST(TurnRgb, TurnsClockwise) {
    int width = 0;
    EXPECT_THAT(turned({}, width), ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(width, 3);
    EXPECT_THAT(turned({quarter_turns::right}, width), ::testing::ElementsAre(4, 1, 5, 2, 6, 3));
    EXPECT_EQ(width, 2);
    EXPECT_THAT(turned({quarter_turns::half}, width), ::testing::ElementsAre(6, 5, 4, 3, 2, 1));
    EXPECT_EQ(width, 3);
    EXPECT_THAT(turned({quarter_turns::left}, width), ::testing::ElementsAre(3, 6, 2, 5, 1, 4));
    EXPECT_EQ(width, 2);
}

TEST(TurnRgb, MirrorsAfterTurning) {
    int width = 0;
    EXPECT_THAT(
        turned({quarter_turns::none, true}, width), ::testing::ElementsAre(3, 2, 1, 6, 5, 4));
    EXPECT_EQ(width, 3);
    EXPECT_THAT(
        turned({quarter_turns::right, true}, width), ::testing::ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_EQ(width, 2);
}

}  // namespace
}  // namespace reelsd::media::picture
