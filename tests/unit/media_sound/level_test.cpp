// Goal: levels are in dB below full scale, silence is detected, and sound is normalised for the
// recogniser. Method: constant and sine signals of known level.

#include "generated_sound.hpp"
#include "sound.hpp"
#include "voice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace reelsd::media::sound {
namespace {

std::vector<std::int16_t> sine_at(double db, double seconds) {
    auto sound = generated::silence(seconds, speech_rate_hz);
    // as_samples scales by 32,000; a sine's root mean square is its amplitude over sqrt(2).
    const double amplitude = std::pow(10.0, db / 20.0) * std::sqrt(2.0) * 32'768.0 / 32'000.0;
    generated::add(sound, speech_rate_hz, {400.0, amplitude, 0.0, seconds});
    return generated::as_samples(sound);
}

TEST(FrameLevels, AreDecibelBelowFullScale) {
    for (const double db : {-6.0, -20.0, -40.0}) {
        SCOPED_TRACE(db);
        const auto levels = frame_levels_db(sine_at(db, 0.1));
        ASSERT_EQ(levels.size(), 10U);
        for (const float level : levels) EXPECT_NEAR(level, db, 0.3);
    }
}

TEST(FrameLevels, DropAnIncompleteFrame) {
    EXPECT_EQ(frame_levels_db(std::vector<std::int16_t>(2 * frame_samples + 1)).size(), 2U);
    EXPECT_TRUE(frame_levels_db(std::vector<std::int16_t>(frame_samples - 1)).empty());
}

TEST(Silences, AreLongRangesWithoutSound) {
    struct test_case {
        const char* name;
        std::vector<std::pair<double, double>> decibels_and_seconds;
        double duration_seconds;
        std::vector<std::pair<double, double>> silences;
    };
    const test_case cases[] = {
        {"sound throughout", {{-20, 3}}, 3, {}},
        {"digital silence", {{-200, 3}}, 3, {{0, 3}}},
        {"hiss of a camera", {{-70, 3}}, 3, {{0, 3}}},
        {"in the middle", {{-20, 1}, {-200, 2.5}, {-20, 1}}, 4.5, {{1, 3.5}}},
        {"too short", {{-20, 1}, {-200, 1.9}, {-20, 1}}, 3.9, {}},
        {"after the track", {{-20, 1}}, 3, {{1, 3}}},
        {"quiet is not silent", {{-20, 1}, {-55, 3}}, 4, {}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        std::vector<std::int16_t> track;
        for (const auto& [db, seconds] : expected.decibels_and_seconds) {
            const auto part = sine_at(db, seconds);
            track.insert(track.end(), part.begin(), part.end());
        }
        const auto silences = find_silences(track, expected.duration_seconds);
        ASSERT_EQ(silences.size(), expected.silences.size());
        for (std::size_t at = 0; at < silences.size(); ++at) {
            EXPECT_NEAR(silences[at].start_seconds, expected.silences[at].first, 0.02);
            EXPECT_NEAR(silences[at].end_seconds, expected.silences[at].second, 0.02);
        }
    }
}

TEST(LevelAtShare, PicksTheQuantile) {
    const std::vector<float> levels{-10, -50, -30, -20, -40};
    EXPECT_EQ(level_at_share_db(levels, 0.0), -50);
    EXPECT_EQ(level_at_share_db(levels, 0.5), -30);
    EXPECT_EQ(level_at_share_db(levels, 1.0), -10);
    EXPECT_EQ(level_at_share_db({}, 0.5), level_db_min);
}

TEST(Conditioned, BringsLoudFramesToMinusTwenty) {
    for (const double db : {-3.0, -20.0, -45.0}) {
        SCOPED_TRACE(db);
        const auto sound = sine_at(db, 0.5);
        const auto levels = frame_levels_db(conditioned(sound, gain_of(static_cast<float>(db))));
        EXPECT_NEAR(level_at_share_db(levels, 0.5), -20.0, 0.3);
    }
}

TEST(Conditioned, AddsANoiseFloorToDigitalSilence) {
    const std::vector<std::int16_t> silence(16'000);
    const auto noisy = conditioned(silence, 1.0);
    for (const float level : frame_levels_db(noisy)) EXPECT_NEAR(level, -70.0, 2.0);
    EXPECT_EQ(noisy, conditioned(silence, 1.0));
}

TEST(ToneShare, TellsAToneFromOtherSound) {
    auto noise = generated::silence(1.0, speech_rate_hz);
    generated::add_noise(noise, 0.1);
    auto chords = generated::silence(2.0, speech_rate_hz);
    generated::add_chords(chords, speech_rate_hz, 0.05, 0.0);
    auto beep = generated::silence(2.0, speech_rate_hz);
    generated::add(beep, speech_rate_hz, {880, 0.2, 0.7, 0.2});
    generated::add_noise(beep, 0.002);
    EXPECT_GT(tone_share(generated::as_samples(beep)), 0.95);
    EXPECT_LT(tone_share(generated::as_samples(chords)), 0.6);
    EXPECT_LT(tone_share(generated::as_samples(noise)), 0.2);
    EXPECT_EQ(tone_share(std::vector<std::int16_t>(16'000)), 0);
    EXPECT_EQ(tone_share({}), 0);
}

TEST(IsSilent, BeginsAtMinusSixty) {
    struct test_case {
        const char* name;
        std::vector<std::int16_t> samples;
        bool silent;
    };
    auto one_word = std::vector<std::int16_t>(48'000);
    const auto word = sine_at(-30.0, 0.3);
    std::copy(word.begin(), word.end(), one_word.begin() + 16'000);
    const test_case cases[] = {
        {"no samples", {}, true},
        {"digital silence", std::vector<std::int16_t>(16'000), true},
        {"hiss", sine_at(-66.0, 1.0), true},
        {"a whisper", sine_at(-50.0, 1.0), false},
        {"one word in silence", one_word, false},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(is_silent(expected.samples), expected.silent) << expected.name;
    }
}

}  // namespace
}  // namespace reelsd::media::sound
