#include "rendering.hpp"

#include <gtest/gtest.h>

namespace reelsd::media::text {
namespace {

// Goal: scaling keeps levels and shapes. Method: flat pictures and one edge, both ways.
TEST(Scaled, KeepsAFlatPictureFlat) {
    for (const double factor : {0.3, 0.5, 1.0, 1.7, 4.0}) {
        SCOPED_TRACE(factor);
        const plane result = scaled(plane{37, 21, 143}, factor);
        EXPECT_EQ(result.width, static_cast<int>(37 * factor + 0.5));
        for (const auto value : result.pixels) EXPECT_EQ(value, 143);
    }
}

TEST(Scaled, KeepsAnEdgeInPlace) {
    plane source{40, 10};
    for (int y = 0; y < 10; ++y) std::fill_n(source.row(y) + 20, 20, std::uint8_t{255});
    for (const double factor : {0.5, 2.0, 3.0}) {
        SCOPED_TRACE(factor);
        const plane result = scaled(source, factor);
        const std::uint8_t* row = result.row(result.height / 2);
        EXPECT_LT(row[result.width / 2 - 2], 128);
        EXPECT_GT(row[result.width / 2 + 1], 127);
        EXPECT_EQ(row[0], 0);
        EXPECT_EQ(row[result.width - 1], 255);
    }
}

// Goal: letters are rendered black on white at any level. Method: a bar on a grey ramp.
TEST(RenderCut, IsBlackOnWhite) {
    plane part{60, 40, 20};
    for (int y = 10; y < 30; ++y) std::fill_n(part.row(y) + 30, 5, std::uint8_t{120});
    const plane result = render_cut(part, 120, 20);
    EXPECT_EQ(result.row(0)[0], 255);
    EXPECT_EQ(*std::min_element(result.pixels.begin(), result.pixels.end()), 0);
}

TEST(RenderGrey, StretchesAndInverts) {
    plane part{30, 20, 100};
    part.row(10)[15] = 140;
    const plane result = render_grey(part, rendered_glyph_pixels);
    EXPECT_EQ(*std::min_element(result.pixels.begin(), result.pixels.end()), 0);
    EXPECT_EQ(result.row(0)[0], 255);
}

}  // namespace
}  // namespace reelsd::media::text
