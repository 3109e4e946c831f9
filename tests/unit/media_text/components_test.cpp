#include "components.hpp"

#include "drawn_picture.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace reelsd::media::text {
namespace {

plane from_rows(const std::vector<std::string_view>& rows) {
    plane picture{static_cast<int>(rows.front().size()), static_cast<int>(rows.size())};
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x) {
            const char sign = rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
            picture.row(y)[x] = sign == '#' ? 200 : sign == '+' ? 60 : 0;
        }
    }
    return picture;
}

constexpr component_limits any_size{.height_min = 1, .height_max = 1000, .area_min = 1};

// Goal: connected pixels are one piece, including diagonal neighbours. Method: small drawings,
// wider than the eight pixels that one step examines.
TEST(FindComponents, JoinsByEightNeighbours) {
    struct test_case {
        const char* name;
        std::vector<std::string_view> rows;
        std::vector<int> areas;
    };
    const test_case cases[] = {
        {"nothing", {"............", "............"}, {}},
        {"a diagonal", {"#...........", ".#..........", "..#........."}, {3}},
        {"two apart", {"#.#.........", "#.#........."}, {2, 2}},
        {"a cup joins late", {"#.........#.", "#.........#.", "###########."}, {15}},
        {"a ladder", {"#.#.#.#.#.#.", ".#.#.#.#.#.#"}, {12}},
        {"the last column", {"...........#", "...........#"}, {2}},
        {"below the threshold", {"++++++++++++", "#..........."}, {1}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto found = find_components(from_rows(expected.rows), 100, any_size);
        std::vector<int> areas;
        for (const component& each : found) areas.push_back(each.area);
        EXPECT_EQ(areas, expected.areas);
    }
}

TEST(FindComponents, AcceptsThresholdsOnBothSidesOfTheHighBit) {
    plane picture{40, 5};
    for (int x = 0; x < 40; ++x) picture.row(2)[x] = static_cast<std::uint8_t>(x * 6);
    for (const int threshold : {1, 45, 90, 127, 128, 129, 140, 234}) {
        SCOPED_TRACE(threshold);
        const auto found = find_components(picture, static_cast<std::uint8_t>(threshold), any_size);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].bounds.left, (threshold + 5) / 6);
        EXPECT_EQ(found[0].bounds.right, 40);
    }
}

TEST(FindComponents, ObservesTheLimits) {
    plane picture{60, 60};
    for (int y = 0; y < 60; ++y) picture.row(y)[10] = 200;
    for (int y = 20; y < 30; ++y) picture.row(y)[30] = 200;
    picture.row(5)[50] = 200;
    const auto found =
        find_components(picture, 100, {.height_min = 2, .height_max = 59, .area_min = 2});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].bounds, (box{30, 20, 31, 30}));

    EXPECT_EQ(
        find_components(picture, 100, {.height_min = 1, .area_min = 1, .count_max = 1}).size(), 1U);
}

// Goal: colour, evenness and stroke are those of the drawing. Method: a bar of known size.
TEST(Measure, FindsColourAndStroke) {
    drawn_picture picture{60, 60, dark_blue};
    picture.fill({20, 10, 24, 50}, {240, 200, 40});
    plane level{60, 60};
    for (int y = 10; y < 50; ++y) std::fill_n(level.row(y) + 20, 4, std::uint8_t{180});
    auto found = find_components(level, 90);
    ASSERT_EQ(found.size(), 1U);

    measure(found[0], level, picture.frame());

    EXPECT_EQ(found[0].colour, (std::array<int, 3>{240, 200, 40}));
    EXPECT_DOUBLE_EQ(found[0].spread, 0);
    EXPECT_DOUBLE_EQ(found[0].level, 180);
    EXPECT_NEAR(found[0].stroke, 4, 0.5);
}

}  // namespace
}  // namespace reelsd::media::text
