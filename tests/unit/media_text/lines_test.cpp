#include "lines.hpp"

#include "detector.hpp"
#include "drawn_picture.hpp"

#include <gtest/gtest.h>

namespace reelsd::media::text {
namespace {

std::vector<candidate> detect(const drawn_picture& picture) {
    line_detector detector;
    return detector.find(picture.frame());
}

// Goal: each line of letters is one candidate with all its letters. Method: two lines of a kind.
TEST(LineDetector, FindsTwoLines) {
    drawn_picture picture{400, 200, dark_blue};
    picture.write("THE HILL", 40, 40, white);
    picture.write("LITTLE", 60, 90, white);

    auto found = detect(picture);

    ASSERT_EQ(found.size(), 2U);
    std::sort(found.begin(), found.end(), [](const candidate& a, const candidate& b) {
        return a.line.bounds.top < b.line.bounds.top;
    });
    EXPECT_EQ(found[0].line.letters_tall, 7U);
    EXPECT_EQ(found[0].line.bounds, (box{40, 40, 210, 64}));
    EXPECT_EQ(found[1].line.letters_tall, 6U);
    EXPECT_GT(found[1].line.score, 0.7);
}

TEST(LineDetector, FindsDarkLettersOnLight) {
    drawn_picture picture{400, 120, {230, 230, 220}};
    picture.write("THE HILL", 40, 40, {30, 20, 20});
    const auto found = detect(picture);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].line.letters_tall, 7U);
    EXPECT_EQ(found[0].line.channel, 1);
}

// Goal: letters of another colour or size belong to another line. Method: neighbours on one row.
TEST(LineDetector, SeparatesColours) {
    drawn_picture picture{600, 120, {0, 0, 0}};
    picture.write("THEFT", 20, 40, white);
    picture.write("LIFT", 150, 40, {250, 60, 40});
    for (const candidate& each : detect(picture)) EXPECT_LT(each.line.bounds.width(), 130);
}

TEST(LineDetector, AddsFullStops) {
    drawn_picture picture{400, 120, dark_blue};
    picture.write("THE HILL", 40, 40, white);
    picture.fill({216, 59, 221, 64}, white);
    const auto found = detect(picture);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].line.letters_tall, 7U);
    EXPECT_EQ(found[0].line.letters.size(), 8U);
}

// Goal: no candidates in pictures without text. Method: surfaces, a frame, scattered dots.
TEST(LineDetector, IgnoresShapes) {
    drawn_picture picture{400, 300, dark_blue};
    picture.fill({20, 20, 180, 140}, white);
    picture.fill({220, 40, 380, 44}, white);
    for (int i = 0; i < 40; ++i) {
        picture.fill(
            {(i * 97) % 380, 150 + (i * 53) % 140, (i * 97) % 380 + 4, 154 + (i * 53) % 140},
            white);
    }
    EXPECT_TRUE(detect(picture).empty());
}

TEST(LineDetector, AcceptsAFrameSmallerThanItsWindows) {
    const drawn_picture picture{7, 3, white};
    EXPECT_TRUE(detect(picture).empty());
}

TEST(SamePlace, NeedsAreaAndRows) {
    const box line{100, 100, 300, 140};
    EXPECT_TRUE(same_place(line, {110, 102, 290, 138}));
    EXPECT_TRUE(same_place(line, {100, 95, 200, 140}));
    EXPECT_FALSE(same_place(line, {100, 150, 300, 190}));
    EXPECT_FALSE(same_place(line, {290, 100, 500, 140}));
}

}  // namespace
}  // namespace reelsd::media::text
