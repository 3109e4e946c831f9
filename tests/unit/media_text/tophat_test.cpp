#include "tophat.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace reelsd::media::text {
namespace {

/// The definition, pixel by pixel: source minus the largest of the least values around each pixel.
plane extreme(const plane& source, bool least) {
    plane result{source.width, source.height};
    constexpr int reach = tophat_pixels / 2;
    for (int y = 0; y < source.height; ++y) {
        for (int x = 0; x < source.width; ++x) {
            std::uint8_t value = source.row(y)[x];
            for (int v = std::max(0, y - reach); v <= std::min(source.height - 1, y + reach); ++v) {
                for (int u = std::max(0, x - reach); u <= std::min(source.width - 1, x + reach);
                     ++u) {
                    const std::uint8_t other = source.row(v)[u];
                    value = least ? std::min(value, other) : std::max(value, other);
                }
            }
            result.row(y)[x] = value;
        }
    }
    return result;
}

// Goal: the fast form equals the definition. Method: random pictures of about the window's size.
TEST(WhiteTophat, EqualsTheDefinition) {
    std::mt19937 random{7};
    white_tophat tophat;  // One object: its buffers must not leak from size to size.
    for (const auto& [width, height] :
         {std::pair{1, 1}, {5, 40}, {31, 31}, {64, 15}, {97, 61}, {16, 100}, {200, 33}}) {
        SCOPED_TRACE(::testing::Message{} << width << "x" << height);
        plane source{width, height};
        std::generate(source.pixels.begin(), source.pixels.end(), [&] {
            return static_cast<std::uint8_t>(random() % 256);
        });
        const plane opened = extreme(extreme(source, true), false);

        plane result;
        tophat.apply(source, result);

        ASSERT_EQ(result.pixels.size(), source.pixels.size());
        for (std::size_t i = 0; i < source.pixels.size(); ++i) {
            ASSERT_EQ(result.pixels[i], source.pixels[i] - opened.pixels[i]) << "pixel " << i;
        }
    }
}

// Goal: a stroke is kept, a surface is removed. Method: a bar of 8 and a square of 60 pixels on
// grey.
TEST(WhiteTophat, KeepsOnlyStrokes) {
    plane source{160, 120, 100};
    for (int y = 20; y < 80; ++y) {
        std::fill_n(source.row(y) + 10, 8, std::uint8_t{220});
        std::fill_n(source.row(y) + 60, 60, std::uint8_t{220});
    }
    plane result;
    white_tophat{}.apply(source, result);
    EXPECT_EQ(result.row(50)[12], 120);
    EXPECT_EQ(result.row(50)[90], 0);
    EXPECT_EQ(result.row(100)[140], 0);
}

}  // namespace
}  // namespace reelsd::media::text
