#include "detector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace reelsd::media::text {
namespace {

/// A map in which rectangles are certain text.
class drawn_map {
public:
    drawn_map(int width, int height)
        : width_{width},
          height_{height},
          values_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

    /// Each column is `rise` pixels lower than the one before.
    drawn_map& fill(const picture::box& area, float value = 0.9F, double rise = 0) {
        for (int x = area.left; x < area.right; ++x) {
            const int shift = static_cast<int>(std::lround((x - area.left) * rise));
            for (int y = area.top + shift; y < area.bottom + shift; ++y)
                values_[static_cast<std::size_t>(y * width_ + x)] = value;
        }
        return *this;
    }
    [[nodiscard]] std::vector<picture::rotated_box> boxes() const {
        return boxes_of({.values = values_, .width = width_, .height = height_});
    }

private:
    int width_;
    int height_;
    std::vector<float> values_;
};

TEST(BoxesOf, GrowsACoreToItsLine) {
    const auto boxes = drawn_map{200, 100}.fill({20, 40, 120, 50}).boxes();
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_DOUBLE_EQ(boxes[0].centre_x, 70);
    EXPECT_DOUBLE_EQ(boxes[0].centre_y, 45);
    EXPECT_NEAR(boxes[0].slant, 0, 1e-9);
    // 100 x 10 pixels: the margin is 1.5 * 1000 / 220.
    EXPECT_NEAR(boxes[0].width, 100 + 2 * 6.8, 0.1);
    EXPECT_NEAR(boxes[0].height, 10 + 2 * 6.8, 0.1);
}

TEST(BoxesOf, FollowsASlant) {
    const auto boxes = drawn_map{200, 100}.fill({20, 30, 150, 40}, 0.9F, 0.1).boxes();
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_NEAR(boxes[0].slant, std::atan(0.1), 0.01);
    EXPECT_NEAR(boxes[0].centre_x, 85, 1);
    EXPECT_NEAR(boxes[0].centre_y, 41.5, 1);
    EXPECT_LT(boxes[0].height, 27);
    EXPECT_GT(boxes[0].bounds().height(), 30);
}

// Goal: no box for what is no line. Method: a table of maps.
TEST(BoxesOf, IgnoresSpecksAndDoubt) {
    EXPECT_TRUE((drawn_map{64, 64}).boxes().empty());
    EXPECT_TRUE((drawn_map{64, 64}).fill({10, 10, 12, 12}).boxes().empty());
    EXPECT_TRUE((drawn_map{64, 64}).fill({10, 10, 40, 20}, 0.4F).boxes().empty());
    EXPECT_TRUE((drawn_map{64, 64}).fill({10, 10, 40, 20}, 0.2F).boxes().empty());
}

TEST(BoxesOf, KeepsTheLargestOfMany) {
    drawn_map map{400, 400};
    for (int y = 0; y < 20; ++y) {
        for (int x = 0; x < 20; ++x) map.fill({20 * x, 20 * y, 20 * x + 10, 20 * y + 8});
    }
    map.fill({0, 380, 390, 396});
    const auto boxes = map.boxes();
    EXPECT_EQ(boxes.size(), lines_max);
    EXPECT_GT(boxes[0].width, 380);
}

picture::rotated_box at(double centre_x, double centre_y, double width, double height) {
    return {.centre_x = centre_x, .centre_y = centre_y, .width = width, .height = height};
}

TEST(JoinRows, JoinsPartsOfAWideLine) {
    const auto joined = join_rows({at(300, 50, 80, 40), at(100, 50, 200, 40), at(215, 52, 10, 40)});
    ASSERT_EQ(joined.size(), 2U);
    EXPECT_DOUBLE_EQ(joined[1].width, 220);
    EXPECT_DOUBLE_EQ(joined[1].centre_x, 110);
}

TEST(JoinRows, KeepsOtherLinesApart) {
    EXPECT_EQ(join_rows({at(100, 50, 100, 40), at(100, 95, 100, 40)}).size(), 2U);
    EXPECT_EQ(join_rows({at(100, 50, 100, 40), at(260, 50, 100, 40)}).size(), 2U);
    EXPECT_EQ(join_rows({at(100, 50, 100, 80), at(170, 50, 40, 20)}).size(), 2U);
}

}  // namespace
}  // namespace reelsd::media::text
