#include "child/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::media {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

// Goal: pictures are at the requested times, within the bound.
TEST(FrameMoments, AreEvenFromTheStart) {
    EXPECT_THAT(frame_moments(3.5, {}), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(frame_moments(3, {}), ElementsAre(0, 1, 2));
    EXPECT_THAT(frame_moments(3, {.per_second = 0.5}), ElementsAre(0, 2));
    EXPECT_THAT(frame_moments(0.3, {}), ElementsAre(0));
    EXPECT_THAT(frame_moments(0.001, {.per_second = 0.001}), ElementsAre(0));
}

// Sound padded to whole packets ends a few hundredths after the last picture.
TEST(FrameMoments, IgnoreAShortRemainder) {
    EXPECT_THAT(frame_moments(3.05, {}), ElementsAre(0, 1, 2));
    EXPECT_THAT(frame_moments(3.2, {}), ElementsAre(0, 1, 2, 3));
}

TEST(FrameMoments, AreSpreadOverTheVideoWhenThereAreTooMany) {
    EXPECT_THAT(frame_moments(9, {.count_max = 3}), ElementsAre(0, 3, 6));
    EXPECT_THAT(frame_moments(3, {.count_max = 3}), ElementsAre(0, 1, 2));
    EXPECT_THAT(frame_moments(90, {.count_max = 1}), ElementsAre(0));
    const auto day = frame_moments(report_bounds::duration_seconds_max, {.per_second = 24});
    ASSERT_EQ(day.size(), 64U);
    EXPECT_THAT(day.at(32), DoubleEq(report_bounds::duration_seconds_max / 2));
}

}  // namespace
}  // namespace reelsd::media
