#include "picture/cut_finder.hpp"

#include "scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace reelsd::media::picture {
namespace {

constexpr double frame_rate = 30;

/// Frame by frame for three seconds.
std::vector<double> cuts_of(const std::function<scene(int frame)>& film) {
    cut_finder finder;
    for (int frame = 0; frame < 90; ++frame) finder.add(film(frame).as_view(), frame / frame_rate);
    return finder.finish();
}

TEST(CutFinder, FindsHardCuts) {
    const auto cuts = cuts_of([](int frame) {
        return make_scene(frame < 30 ? 1 : frame < 60 ? 2 : 3);
    });
    EXPECT_THAT(cuts, ::testing::Pointwise(::testing::DoubleNear(0.001), {1.0, 2.0}));
}

// Goal: other changes are not reported as cuts. Method: one film for each kind of change.
TEST(CutFinder, IgnoresOtherChanges) {
    struct test_case {
        const char* name;
        std::function<scene(int)> film;
    };
    const test_case cases[] = {
        {"still picture", [](int) { return make_scene(1); }},
        {"fast pan", [](int frame) { return make_scene(1, 1, 3 * frame); }},
        {"fast pan on twos", [](int frame) { return make_scene(1, 1, 6 * (frame / 2)); }},
        {"flash of one frame", [](int frame) { return frame == 40 ? flat(255) : make_scene(1); }},
        {"flash of six frames",
         [](int frame) { return frame >= 40 && frame < 46 ? flat(255) : make_scene(1); }},
        {"flash that decays",
         [](int frame) {
             const double share = frame < 40 || frame >= 50 ? 0 : (50 - frame) / 10.0;
             return mix(make_scene(1), flat(255), share);
         }},
        {"slow fade to black", [](int frame) { return mix(make_scene(1), flat(0), frame / 90.0); }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_THAT(cuts_of(expected.film), ::testing::IsEmpty());
    }
}

TEST(CutFinder, FindsACutInMotion) {
    const auto cuts = cuts_of(
        [](int frame) { return frame < 45 ? make_scene(1, 1, frame) : make_scene(4, 1, frame); });
    EXPECT_THAT(cuts, ::testing::Pointwise(::testing::DoubleNear(0.001), {1.5}));
}

TEST(CutFinder, FindsAnInsertOfHalfASecond) {
    const auto cuts =
        cuts_of([](int frame) { return make_scene(frame >= 30 && frame < 45 ? 2 : 1); });
    EXPECT_EQ(cuts.size(), 2U);
}

TEST(CutFinder, SurvivesAChangeOfSize) {
    cut_finder finder;
    auto small = make_scene(1);
    small.width = 20;
    small.height = 20;
    finder.add(make_scene(1).as_view(), 0);
    finder.add(small.as_view(), 0.1);
    finder.add(make_scene(2).as_view(), 0.2);
    EXPECT_TRUE(finder.finish().empty());
}

}  // namespace
}  // namespace reelsd::media::picture
