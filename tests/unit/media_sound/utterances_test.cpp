// Goal: voiced frames become utterances that do not split words. Method: constructed voice
// decisions and levels.

#include "voice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reelsd::media::sound {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// `frames` frames, voiced in the given ranges.
std::vector<bool> voiced_in(std::size_t frames, const std::vector<frame_range>& ranges) {
    std::vector<bool> voiced(frames, false);
    for (const frame_range& range : ranges) {
        for (std::size_t i = range.begin; i < range.end; ++i) voiced[i] = true;
    }
    return voiced;
}

std::vector<frame_range> utterances_of(const std::vector<bool>& voiced) {
    return find_utterances(voiced, std::vector<float>(voiced.size(), -20.0F));
}

TEST(FindUtterances, FindsNoneWithoutVoice) {
    EXPECT_THAT(utterances_of({}), IsEmpty());
    EXPECT_THAT(utterances_of(voiced_in(500, {})), IsEmpty());
}

TEST(FindUtterances, IgnoresClicks) {
    EXPECT_THAT(utterances_of(voiced_in(500, {{100, 105}})), IsEmpty());
}

TEST(FindUtterances, AddsAMarginWithinTheTrack) {
    EXPECT_THAT(utterances_of(voiced_in(500, {{100, 300}})), ElementsAre(frame_range{80, 320}));
    EXPECT_THAT(utterances_of(voiced_in(300, {{5, 295}})), ElementsAre(frame_range{0, 300}));
}

TEST(FindUtterances, JoinsOnlyOverShortPauses) {
    EXPECT_THAT(
        utterances_of(voiced_in(600, {{100, 200}, {240, 400}})), ElementsAre(frame_range{80, 420}));
    EXPECT_THAT(
        utterances_of(voiced_in(600, {{100, 200}, {260, 400}})),
        ElementsAre(frame_range{80, 220}, frame_range{240, 420}));
}

TEST(FindUtterances, SplitsAtTheQuietestFrame) {
    const auto voiced = voiced_in(2000, {{0, 2000}});
    std::vector<float> levels(2000, -20.0F);
    for (std::size_t i = 700; i < 715; ++i) levels[i] = -50.0F;
    for (std::size_t i = 900; i < 915; ++i) levels[i] = -40.0F;

    EXPECT_THAT(
        find_utterances(voiced, levels),
        ElementsAre(frame_range{0, 707}, frame_range{707, 1692}, frame_range{1692, 2000}));
}

TEST(FindUtterances, LimitsTheLengthAndAvoidsOverlaps) {
    for (const std::size_t frames : {1200U, 1201U, 1499U, 1500U, 2401U, 9000U}) {
        SCOPED_TRACE(frames);
        const auto ranges = utterances_of(voiced_in(frames, {{0, frames}}));
        std::size_t at = 0;
        for (const frame_range& range : ranges) {
            EXPECT_EQ(range.begin, at);
            EXPECT_GE(range.end - range.begin, 300U);
            EXPECT_LE(range.end - range.begin, 1200U);
            at = range.end;
        }
        EXPECT_EQ(at, frames);
    }
}

TEST(SplitAtPauses, EndsPartsInTheMiddleOfQuietPauses) {
    struct test_case {
        const char* name;
        std::size_t pause_begin;
        std::size_t pause_end;
        float pause_db;
        std::vector<frame_range> parts;
    };
    const test_case cases[] = {
        {"a pause", 200, 260, -50.0F, {{0, 230}, {230, 500}}},
        {"the shortest", 200, 240, -45.0F, {{0, 220}, {220, 500}}},
        {"a shorter one", 200, 239, -50.0F, {{0, 500}}},
        {"music in the pause", 200, 260, -44.0F, {{0, 500}}},
        {"a part of less than a second", 50, 110, -50.0F, {{0, 500}}},
        {"the end", 450, 500, -50.0F, {{0, 500}}},
    };
    for (const auto& given : cases) {
        std::vector<float> levels(500, -20.0F);
        for (std::size_t i = given.pause_begin; i < given.pause_end; ++i)
            levels[i] = given.pause_db;
        EXPECT_EQ(split_at_pauses({0, 500}, levels), given.parts) << given.name;
    }
}

TEST(LoudRange, LeavesOutQuietEnds) {
    std::vector<float> levels(300, -60.0F);
    for (std::size_t i = 100; i < 200; ++i) levels[i] = -20.0F;
    levels[90] = -34.0F;
    levels[210] = -36.0F;
    EXPECT_EQ(loud_range(levels), (frame_range{90, 200}));
    EXPECT_EQ(loud_range({}), (frame_range{0, 0}));
}

}  // namespace
}  // namespace reelsd::media::sound
