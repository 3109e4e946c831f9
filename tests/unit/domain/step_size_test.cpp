// Goal: the size of steps follows the speed of the database, and most of the time is for others.
#include <reelsd/domain/retention/retention_store.hpp>

#include <gtest/gtest.h>

namespace reelsd::retention {
namespace {

using namespace std::chrono_literals;

TEST(StepSize, GrowsWhileStepsAreShortUpToItsBound) {
    step_size size;
    EXPECT_EQ(size.rows(), step_size::rows_first);
    int last = size.rows();
    for (int steps = 0; steps < 100; ++steps) {
        size.took(1ms);
        EXPECT_GE(size.rows(), last);
        last = size.rows();
    }
    EXPECT_EQ(last, step_size::rows_max);
}

TEST(StepSize, ShrinksWhileStepsAreLongDownToOneRow) {
    step_size size;
    size.took(1s);
    EXPECT_EQ(size.rows(), step_size::rows_first / 2);
    for (int steps = 0; steps < 100; ++steps) size.took(1s);
    EXPECT_EQ(size.rows(), step_size::rows_min);
    size.took(1ms);
    EXPECT_GT(size.rows(), step_size::rows_min);
}

TEST(StepSize, StaysWhileStepsTakeTheTargetTime) {
    step_size size;
    size.took(30ms);
    EXPECT_EQ(size.rows(), step_size::rows_first);
}

TEST(StepSize, GrowsOnlyAfterFullSteps) {
    step_size size;
    for (int steps = 0; steps < 1000; ++steps) size.took(1ms, false);
    EXPECT_EQ(size.rows(), step_size::rows_first) << "an idle step has no effect";
    size.took(1ms, true);
    EXPECT_GT(size.rows(), step_size::rows_first);
    const int before = size.rows();
    size.took(1s, false);
    EXPECT_EQ(size.rows(), before / 2) << "a slow step counts with any number of rows";
}

TEST(StepSize, EachRoundBeginsSmall) {
    step_size size;
    for (int steps = 0; steps < 100; ++steps) size.took(1ms);
    EXPECT_EQ(size.rows(), step_size::rows_max);
    size.reset();
    EXPECT_EQ(size.rows(), step_size::rows_first);
}

TEST(StepSize, LeavesThreeQuartersOfTheTimeToOthers) {
    step_size size;
    size.took(30ms);
    EXPECT_EQ(size.pause(), 90ms);
    size.took(400ms);
    EXPECT_EQ(size.pause(), 1200ms);
}

TEST(StepSize, PausesHaveBounds) {
    step_size size;
    EXPECT_EQ(size.pause(), 20ms);
    size.took(0ms);
    EXPECT_EQ(size.pause(), 20ms);
    size.took(1h);
    EXPECT_EQ(size.pause(), 10s);
}

}  // namespace
}  // namespace reelsd::retention
