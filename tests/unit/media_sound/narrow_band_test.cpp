// Goal: sound that ends at 4 kHz is detected and widened, other sound is unchanged. Method: sines
// and noise.

#include "generated_sound.hpp"
#include "sound.hpp"
#include "voice.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace reelsd::media::sound {
namespace {

std::vector<std::int16_t> tones(const std::vector<double>& frequencies_hz) {
    auto sound = generated::silence(1.0, speech_rate_hz);
    for (const double hz : frequencies_hz) {
        generated::add(sound, speech_rate_hz, {hz, 0.1, 0.0, 1.0});
    }
    return generated::as_samples(sound);
}

TEST(HighBand, IsRelativeToTheBandBelow) {
    EXPECT_LT(high_band_db(tones({500.0, 3500.0})), -30.0);
    EXPECT_NEAR(high_band_db(tones({500.0, 3500.0, 5500.0})), 0.0, 1.0);
    EXPECT_GT(high_band_db(tones({5500.0})), 30.0);
    EXPECT_EQ(high_band_db({}), 0.0);
    EXPECT_EQ(high_band_db(std::vector<std::int16_t>(16'000)), 0.0);
}

TEST(WidenNarrowBand, MirrorsTheBandBelowAtHalfItsHeight) {
    auto sound = tones({500.0, 3200.0});
    widen_narrow_band(sound);
    // 3,200 Hz appear at 4,800 Hz: 6 dB lower, and within the band that is measured.
    EXPECT_NEAR(high_band_db(sound), -6.0, 1.5);
}

TEST(WidenNarrowBand, DoesNotChangeWideBandSound) {
    auto noise = generated::silence(1.0, speech_rate_hz);
    generated::add_noise(noise, 0.1);
    const auto sound = generated::as_samples(noise);
    auto same = sound;
    widen_narrow_band(same);
    EXPECT_EQ(same, sound);

    std::vector<std::int16_t> short_sound{1, 2, 3};
    widen_narrow_band(short_sound);
    EXPECT_EQ(short_sound, (std::vector<std::int16_t>{1, 2, 3}));
}

}  // namespace
}  // namespace reelsd::media::sound
