#include "picture/cut_finder.hpp"
#include "scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace reelsd::media::picture {
namespace {

/// Two colours of the same brightness.
scene pink() {
    return coloured(200, 100, 160);
}
scene green() {
    return coloured(60, 155, 60);
}

/// Eight pictures a second for five seconds.
std::vector<double> jumps_of(
    const std::function<scene(int picture)>& film, const std::vector<double>& cuts = {}) {
    std::vector<small_picture> pictures;
    for (int at = 0; at < 40; ++at) {
        pictures.push_back(make_small_picture(film(at).as_view(), at / colour_frames_per_second));
    }
    return find_colour_jumps(pictures, cuts);
}

TEST(ColourJumps, FindsCutsBetweenScenesOfEqualBrightness) {
    const auto film = [](int picture) { return picture < 16 ? pink() : green(); };
    EXPECT_THAT(jumps_of(film), ::testing::ElementsAre(::testing::DoubleNear(2.0, 0.1)));
    // Cuts found in the luma are not repeated.
    EXPECT_THAT(jumps_of(film, {2.0}), ::testing::IsEmpty());
    EXPECT_THAT(jumps_of(film, {4.0}), ::testing::SizeIs(1));
}

TEST(ColourJumps, IgnoresOtherChanges) {
    struct test_case {
        const char* name;
        std::function<scene(int)> film;
    };
    const test_case cases[] = {
        {"still picture", [](int) { return pink(); }},
        {"a flash of coloured light",
         [](int picture) { return picture == 16 || picture == 17 ? green() : pink(); }},
        {"light that changes slowly",
         [](int picture) { return mix(pink(), green(), picture / 40.0); }},
        {"a pan", [](int picture) { return make_scene(1, 3, 8 * picture); }},
        {"lights that keep changing",
         [](int picture) { return picture % 2 == 0 ? pink() : green(); }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_THAT(jumps_of(expected.film), ::testing::IsEmpty());
    }
}

TEST(ColourJumps, NeedsEnoughPictures) {
    EXPECT_TRUE(find_colour_jumps({}, {}).empty());
    const std::vector<small_picture> single{make_small_picture(pink().as_view(), 0)};
    EXPECT_TRUE(find_colour_jumps(single, {}).empty());
}

}  // namespace
}  // namespace reelsd::media::picture
