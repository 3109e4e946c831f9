#include "picture/cut_finder.hpp"
#include "scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace reelsd::media::picture {
namespace {

/// A flat picture of one colour.
scene coloured(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
    auto made = flat(0, 3);
    for (std::size_t at = 0; at < made.pixels.size(); at += 3) {
        made.pixels[at] = red;
        made.pixels[at + 1] = green;
        made.pixels[at + 2] = blue;
    }
    return made;
}

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

TEST(ColourJumps, FindsACutBetweenScenesOfOneBrightness) {
    const auto film = [](int picture) { return picture < 16 ? pink() : green(); };
    EXPECT_THAT(jumps_of(film), testing::ElementsAre(testing::DoubleNear(2.0, 0.1)));
    // What the luma has shown already is told once.
    EXPECT_THAT(jumps_of(film, {2.0}), testing::IsEmpty());
    EXPECT_THAT(jumps_of(film, {4.0}), testing::SizeIs(1));
}

TEST(ColourJumps, LetsTheRestPass) {
    struct test_case {
        const char* name;
        std::function<scene(int)> film;
    };
    const test_case cases[] = {
        {"stillness", [](int) { return pink(); }},
        {"a flash of coloured light",
         [](int picture) { return picture == 16 || picture == 17 ? green() : pink(); }},
        {"light that turns slowly",
         [](int picture) { return mix(pink(), green(), picture / 40.0); }},
        {"a pan", [](int picture) { return make_scene(1, 3, 8 * picture); }},
        {"lights that go on changing",
         [](int picture) { return picture % 2 == 0 ? pink() : green(); }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_THAT(jumps_of(expected.film), testing::IsEmpty());
    }
}

TEST(ColourJumps, AreNotSoughtInTooFewPictures) {
    EXPECT_TRUE(find_colour_jumps({}, {}).empty());
    const std::vector<small_picture> one{make_small_picture(pink().as_view(), 0)};
    EXPECT_TRUE(find_colour_jumps(one, {}).empty());
}

}  // namespace
}  // namespace reelsd::media::picture
