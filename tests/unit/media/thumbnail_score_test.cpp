#include "picture/image.hpp"
#include "scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace reelsd::media::picture {
namespace {

scene plain(int level) {
    auto picture = make_scene(1);
    std::ranges::fill(picture.pixels, static_cast<std::uint8_t>(level));
    return picture;
}

/// `of` during a fade from `ground`, at this progress from 0 to 1.
scene faded(scene of, int ground, double amount) {
    for (auto& pixel : of.pixels) {
        pixel = static_cast<std::uint8_t>(ground + (pixel - ground) * (1 - amount));
    }
    return of;
}

/// A line of text on a plain background.
scene title(int ground, int ink) {
    auto picture = plain(ground);
    for (int y = 45; y < 55; ++y) {
        for (int x = 10; x < 50; ++x) {
            if (x % 4 < 2) {
                picture.pixels[static_cast<std::size_t>(y * picture.width + x)] =
                    static_cast<std::uint8_t>(ink);
            }
        }
    }
    return picture;
}

double of(const scene& picture) {
    return thumbnail_score(picture.as_view());
}

TEST(ThumbnailScore, PrefersScenesToFadesAndTitles) {
    const auto whole = of(make_scene(3));
    EXPECT_GT(whole, 0.5);
    EXPECT_LE(whole, 1);
    EXPECT_DOUBLE_EQ(of(plain(0)), 0);
    EXPECT_DOUBLE_EQ(of(plain(255)), 0);
    EXPECT_GT(of(plain(120)), of(plain(0)));
    EXPECT_LT(of(plain(120)), 0.2);
    EXPECT_LT(of(title(0, 255)), 0.3);
    EXPECT_LT(of(title(255, 0)), 0.3);
    double before = whole;
    for (const double amount : {0.3, 0.6, 0.9}) {
        SCOPED_TRACE(amount);
        EXPECT_LT(of(faded(make_scene(3), 255, amount)), before);
        before = of(faded(make_scene(3), 0, amount));
        EXPECT_LT(before, whole);
    }
}

TEST(ThumbnailScore, AcceptsASinglePixel) {
    const std::uint8_t pixel = 120;
    const double alone = thumbnail_score({.pixels = &pixel, .width = 1, .height = 1, .stride = 1});
    EXPECT_DOUBLE_EQ(alone, of(plain(120)));
}

}  // namespace
}  // namespace reelsd::media::picture
