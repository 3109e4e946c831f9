#include "picture/picture_meter.hpp"

#include "scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::media::picture {
namespace {

/// `film`: eight pictures a second.
picture_report measured(const std::vector<scene>& film, std::vector<double> cuts = {}) {
    picture_meter meter;
    small_picture before;
    double seconds = 0;
    for (const auto& picture : film) {
        auto now = make_small_picture(picture.as_view(), seconds);
        meter.add(picture.as_view(), now, before.pixels.empty() ? nullptr : &before);
        before = std::move(now);
        seconds += 1 / colour_frames_per_second;
    }
    picture_report report;
    report.cuts = std::move(cuts);
    meter.finish(report);
    return report;
}

TEST(PictureMeter, MeasuresLightAndColour) {
    const auto white = measured({coloured(255, 255, 255)});
    EXPECT_NEAR(white.brightness, 1, 0.001);
    EXPECT_EQ(white.saturation, 0);
    const auto black = measured({coloured(0, 0, 0)});
    EXPECT_EQ(black.brightness, 0);
    const auto green = measured({coloured(0, 255, 0)});
    EXPECT_NEAR(green.brightness, 0.715, 0.001);
    EXPECT_NEAR(green.saturation, 1, 0.001);
    EXPECT_THAT(green.colours, ::testing::ElementsAre("green"));
}

TEST(PictureMeter, MeasuresMotionOutsideCuts) {
    const auto still = measured({coloured(9, 9, 9), coloured(9, 9, 9)});
    EXPECT_EQ(still.motion, 0);
    const auto moving = measured({coloured(0, 0, 0), coloured(51, 51, 51)});
    EXPECT_NEAR(moving.motion, 0.2, 0.001);
    const auto cut = measured({coloured(0, 0, 0), coloured(255, 255, 255)}, {0.1});
    EXPECT_EQ(cut.motion, 0);
}

TEST(PictureMeter, AcceptsNoPictures) {
    const auto report = measured({});
    EXPECT_EQ(report.brightness, 0);
    EXPECT_TRUE(report.colours.empty());
}

}  // namespace
}  // namespace reelsd::media::picture
