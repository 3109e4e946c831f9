// Goal: music is detected and described, other sound is not. Method: generated sounds.

#include "generated_sound.hpp"
#include "sound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

namespace reelsd::media::sound {
namespace {

constexpr double seconds = 12.0;

std::vector<float> empty() {
    return generated::silence(seconds, music_rate_hz);
}

std::vector<float> chords(double amplitude = 0.05, double from = 0.0) {
    auto sound = empty();
    generated::add_chords(sound, music_rate_hz, amplitude, from);
    return sound;
}

std::vector<float> noise(double amplitude) {
    auto sound = empty();
    generated::add_noise(sound, amplitude);
    return sound;
}

/// Noise that swells three times a second, like a crowd.
std::vector<float> swelling_noise() {
    auto sound = noise(0.2);
    for (std::size_t i = 0; i < sound.size(); ++i) {
        const double at = static_cast<double>(i) / music_rate_hz;
        sound[i] *= static_cast<float>(1.0 + 0.8 * std::sin(2.0 * std::numbers::pi * 3.0 * at));
    }
    return sound;
}

std::vector<float> hum(double mains_hz) {
    auto sound = noise(0.005);
    for (const int harmonic : {1, 2, 3, 4, 6, 7}) {
        generated::add(sound, music_rate_hz, {mains_hz * harmonic, 0.05 / harmonic, 0.0, seconds});
    }
    return sound;
}

std::vector<float> drums() {
    auto sound = noise(0.001);
    generated::add_clicks(sound, music_rate_hz, 0.5);
    return sound;
}

std::vector<float> beep() {
    auto sound = noise(0.001);
    generated::add(sound, music_rate_hz, {1000.0, 0.2, 0.0, seconds});
    return sound;
}

/// Syllables of four a second: a falling pitch with the formants of a vowel.
std::vector<float> voice(double length) {
    constexpr double pitches_hz[] = {110, 135, 120, 100, 128};
    constexpr double formants_hz[] = {500, 700, 350, 600, 420};
    auto sound = generated::silence(length, music_rate_hz);
    double phase = 0;
    for (std::size_t i = 0; i < sound.size(); ++i) {
        const double syllables = 4.0 * static_cast<double>(i) / music_rate_hz;
        const auto number = static_cast<std::size_t>(syllables) % std::size(pitches_hz);
        const double part = syllables - std::floor(syllables);
        const double pitch_hz = pitches_hz[number] * (1.06 - 0.12 * part);
        phase += 2.0 * std::numbers::pi * pitch_hz / music_rate_hz;
        double wave = 0;
        for (int harmonic = 1; harmonic <= 25; ++harmonic) {
            const double distance = (pitch_hz * harmonic - formants_hz[number]) / 150.0;
            wave += std::exp(-distance * distance) * std::sin(harmonic * phase);
        }
        sound[i] = static_cast<float>(0.1 * wave * std::min({1.0, part * 8, (1 - part) * 8}));
    }
    return sound;
}

std::vector<float> first_second(std::vector<float> sound) {
    sound.resize(static_cast<std::size_t>(music_rate_hz));
    return sound;
}

/// Five seconds, two blocks: noise with tones after 3 s.
std::vector<float> tones_in_the_last_block() {
    auto sound = noise(0.2);
    std::fill(sound.begin() + 3 * std::ptrdiff_t{music_rate_hz}, sound.end(), 0.0F);
    generated::add_chords(sound, music_rate_hz, 0.01, 3.0);
    sound.resize(std::size_t{5} * music_rate_hz);
    return sound;
}

std::vector<float> inaudible_chords_with_offset() {
    auto sound = chords(0.0002);
    for (float& sample : sound) sample += 0.02F;
    return sound;
}

TEST(DetectMusic, DistinguishesMusicFromOtherSound) {
    struct test_case {
        const char* name;
        std::vector<float> sound;
        bool music;
    };
    const test_case cases[] = {
        {"nothing", {}, false},
        {"shorter than a spectrum", std::vector<float>(100, 0.1F), false},
        {"digital silence", empty(), false},
        {"hiss", noise(0.001), false},
        {"loud noise", noise(0.3), false},
        {"swelling noise", swelling_noise(), false},
        {"hum of 50 Hz", hum(50.0), false},
        {"hum of 60 Hz", hum(60.0), false},
        {"one steady tone", beep(), false},
        {"chords", chords(), true},
        {"quiet chords", chords(0.005), true},
        {"drums", drums(), true},
        {"a voice for a second", voice(1.0), false},
        {"a voice for a second and a half", voice(1.5), false},
        {"chords for a second", first_second(chords()), true},
        {"tones in the last of two blocks", tones_in_the_last_block(), false},
        {"inaudible chords with an offset", inaudible_chords_with_offset(), false},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(detect_music(expected.sound, {}).present, expected.music) << expected.name;
    }
}

TEST(DetectMusic, ReportsNothingElseWithoutMusic) {
    const auto report = detect_music(noise(0.1), {});
    EXPECT_FALSE(report.start_seconds.has_value());
    EXPECT_FALSE(report.tempo_bpm.has_value());
    EXPECT_FALSE(report.under_speech);
    EXPECT_EQ(report.level, "");
    EXPECT_EQ(report.brightness, "");
}

TEST(DetectMusic, FindsItsStart) {
    for (const double start : {0.0, 2.0, 4.5}) {
        SCOPED_TRACE(start);
        auto sound = chords(0.05, start);
        generated::add_noise(sound, 0.002);
        const auto report = detect_music(sound, {});
        ASSERT_TRUE(report.start_seconds.has_value());
        EXPECT_NEAR(*report.start_seconds, start, 0.5);
    }
}

TEST(DetectMusic, DescribesLevelAndBrightness) {
    EXPECT_EQ(detect_music(chords(0.2), {}).level, "loud");
    EXPECT_EQ(detect_music(chords(0.05), {}).level, "medium");
    EXPECT_EQ(detect_music(chords(0.005), {}).level, "quiet");
    EXPECT_EQ(detect_music(chords(), {}).brightness, "dark");
    auto bright = empty();
    for (int i = 0; i < 12; ++i) {
        generated::add(bright, music_rate_hz, {2000.0 + 250.0 * (i % 5), 0.1, 1.0 * i, 1.0});
        generated::add(bright, music_rate_hz, {3000.0 + 333.0 * (i % 4), 0.1, 1.0 * i, 1.0});
    }
    EXPECT_EQ(detect_music(bright, {}).brightness, "bright");
}

TEST(DetectMusic, FindsTheBeatOfDrums) {
    const auto report = detect_music(drums(), {});
    EXPECT_TRUE(report.strong_beat);
    ASSERT_TRUE(report.tempo_bpm.has_value());
    EXPECT_NEAR(*report.tempo_bpm, 120.0, 3.0);
}

/// The chords stand for a voice whose vowels are like held tones.
TEST(DetectMusic, IsNotFoundInAVoiceThatPauses) {
    auto words = empty();
    generated::add_chords(words, music_rate_hz, 0.05, 0.0);
    const std::vector<timed_text> speech{{"Welcome.", 0, 3.0}, {"Hello.", 5.0, seconds}};
    EXPECT_TRUE(detect_music(words, speech).present);
    for (std::size_t i = 3 * music_rate_hz; i < 5 * music_rate_hz; ++i) words[i] = 0;
    EXPECT_TRUE(detect_music(words, {}).present);
    EXPECT_FALSE(detect_music(words, speech).present);
}

TEST(DetectMusic, DetectsMusicUnderSpeech) {
    const std::vector<timed_text> during{{"hello", 5.0, 9.0}};
    const std::vector<timed_text> before{{"hello", 0.5, 4.0}};
    EXPECT_TRUE(detect_music(chords(), during).under_speech);
    EXPECT_FALSE(detect_music(chords(0.05, 6.0), before).under_speech);
    EXPECT_FALSE(detect_music(chords(), {}).under_speech);
}

}  // namespace
}  // namespace reelsd::media::sound
