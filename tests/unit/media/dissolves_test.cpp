#include "picture/cut_finder.hpp"
#include "scenes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace reelsd::media::picture {
namespace {

/// Eight pictures a second for five seconds.
std::vector<double> dissolves_of(
    const std::function<scene(double seconds)>& film, std::vector<double> cuts = {}) {
    std::vector<small_picture> pictures;
    for (int at = 0; at < 40; ++at) {
        const double seconds = at / colour_frames_per_second;
        pictures.push_back(make_small_picture(film(seconds).as_view(), seconds));
    }
    return find_dissolves(pictures, cuts);
}

/// Progress of a change from `start` to `end`, 0 to 1.
double progress(double seconds, double start, double end) {
    return std::clamp((seconds - start) / (end - start), 0.0, 1.0);
}

TEST(Dissolves, FindsCrossfades) {
    for (const double length : {0.5, 1.0, 1.5}) {
        SCOPED_TRACE(length);
        const auto dissolves = dissolves_of([length](double seconds) {
            const double share = progress(seconds, 2.5 - length / 2, 2.5 + length / 2);
            return mix(make_scene(1, 3), make_scene(4, 3), share);
        });
        ASSERT_EQ(dissolves.size(), 1U);
        EXPECT_NEAR(dissolves.front(), 2.5, 0.3);
    }
}

TEST(Dissolves, FindsAFadeThroughBlack) {
    const auto dissolves = dissolves_of([](double seconds) {
        return seconds < 2.5 ? mix(make_scene(1, 3), flat(0, 3), progress(seconds, 2.0, 2.5))
                             : mix(flat(0, 3), make_scene(4, 3), progress(seconds, 2.5, 3.0));
    });
    ASSERT_EQ(dissolves.size(), 1U);
    EXPECT_NEAR(dissolves.front(), 2.5, 0.3);
}

// Goal: a scene never begins in the middle of a black card.
TEST(Dissolves, KnowsBlackCards) {
    const auto hard = [](double seconds) {
        return seconds < 1 || seconds >= 4 ? make_scene(seconds < 1 ? 1 : 4, 3) : flat(0, 3);
    };
    EXPECT_THAT(dissolves_of(hard, {1.0, 4.0}), ::testing::IsEmpty());
    EXPECT_THAT(dissolves_of(hard, {1.0}), ::testing::IsEmpty()) << "faded in";

    const auto faded = dissolves_of([](double seconds) {
        return seconds < 2.5 ? mix(make_scene(1, 3), flat(0, 3), progress(seconds, 0.5, 1.0))
                             : mix(flat(0, 3), make_scene(4, 3), progress(seconds, 4.0, 4.5));
    });
    ASSERT_EQ(faded.size(), 1U);
    EXPECT_NEAR(faded.front(), 3.5, 0.3);
}

TEST(Dissolves, IgnoresOtherChanges) {
    struct test_case {
        const char* name;
        std::function<scene(double)> film;
    };
    const test_case cases[] = {
        {"still picture", [](double) { return make_scene(1, 3); }},
        {"pan", [](double seconds) { return make_scene(1, 3, static_cast<int>(seconds * 40)); }},
        {"rising brightness",
         [](double seconds) {
             return mix(make_scene(1, 3), flat(255, 3), 0.6 * progress(seconds, 2, 3));
         }},
        {"fade in at the start",
         [](double seconds) {
             return mix(flat(0, 3), make_scene(1, 3), progress(seconds, 0.5, 1.0));
         }},
        {"fade out at the end",
         [](double seconds) {
             return mix(make_scene(1, 3), flat(0, 3), progress(seconds, 4.0, 4.5));
         }},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        EXPECT_THAT(dissolves_of(expected.film), ::testing::IsEmpty());
    }
}

TEST(Dissolves, IgnoresHardCuts) {
    const auto film = [](double seconds) { return make_scene(seconds < 2.5 ? 1 : 4, 3); };
    EXPECT_THAT(dissolves_of(film, {2.5}), ::testing::IsEmpty());
}

TEST(Dissolves, MergeKeepsOrder) {
    const double cuts[] = {1.0, 3.0};
    const double dissolves[] = {2.0};
    EXPECT_THAT(merge_cuts(cuts, dissolves), ::testing::ElementsAre(1.0, 2.0, 3.0));
}

}  // namespace
}  // namespace reelsd::media::picture
