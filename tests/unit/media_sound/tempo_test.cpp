// Goal: a beat is found with its tempo, and noise has none. Method: click tracks and noise.

#include "generated_sound.hpp"
#include "music_evidence.hpp"
#include "sound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace reelsd::media::sound {
namespace {

std::vector<float> onsets_of(const std::vector<float>& sound) {
    std::vector<float> onsets;
    for (const spectrum& next : spectra_of(sound)) onsets.push_back(next.onset);
    return onsets;
}

TEST(Beat, HasTheTempoOfAClickTrackWithinAnOctave) {
    for (const double tempo : {70.0, 84.0, 96.0, 120.0, 128.0, 150.0}) {
        SCOPED_TRACE(tempo);
        auto sound = generated::silence(12.0, music_rate_hz);
        generated::add_clicks(sound, music_rate_hz, 60.0 / tempo);

        const auto beat = beat_of(onsets_of(sound));

        EXPECT_GT(beat.regularity, 0.5);
        EXPECT_GT(beat.sharpness, 5.2);
        ASSERT_TRUE(beat.tempo_bpm.has_value());
        const double octaves = std::log2(*beat.tempo_bpm / tempo);
        EXPECT_NEAR(octaves, std::round(octaves), 0.03);
        EXPECT_LE(std::abs(octaves), 1.03);
    }
}

TEST(Beat, IsAbsentInNoise) {
    auto sound = generated::silence(12.0, music_rate_hz);
    generated::add_noise(sound, 0.2);

    const auto beat = beat_of(onsets_of(sound));

    EXPECT_LT(beat.regularity, 0.25);
    EXPECT_LT(beat.sharpness, 5.2);
}

TEST(Beat, NeedsFourSecondsAndASound) {
    EXPECT_FALSE(beat_of({}).tempo_bpm.has_value());
    EXPECT_FALSE(beat_of(std::vector<float>(100, 1.0F)).tempo_bpm.has_value());
    EXPECT_EQ(beat_of(std::vector<float>(1000, 0.0F)).regularity, 0);
}

}  // namespace
}  // namespace reelsd::media::sound
