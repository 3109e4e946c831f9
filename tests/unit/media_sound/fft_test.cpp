// Goal: the transform is correct. Method: compare with the defining sum, for several lengths.

#include "spectrogram.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace reelsd::media::sound {
namespace {

std::vector<std::complex<double>> defining_sum(const std::vector<float>& samples) {
    std::vector<std::complex<double>> bins(samples.size() / 2 + 1);
    for (std::size_t k = 0; k < bins.size(); ++k) {
        for (std::size_t n = 0; n < samples.size(); ++n) {
            const double angle = -2.0 * std::numbers::pi * static_cast<double>(k * n) /
                                 static_cast<double>(samples.size());
            bins[k] += static_cast<double>(samples[n]) * std::polar(1.0, angle);
        }
    }
    return bins;
}

TEST(Fft, AgreesWithItsDefinition) {
    for (const std::size_t length : {8U, 64U, 512U, 1024U}) {
        SCOPED_TRACE(length);
        std::minstd_rand engine{3};
        std::uniform_real_distribution<float> value{-1.0F, 1.0F};
        std::vector<float> samples(length);
        for (auto& sample : samples) sample = value(engine);
        const auto expected = defining_sum(samples);

        fft transform{length};
        const auto bins = transform.transform(samples);

        ASSERT_EQ(bins.size(), expected.size());
        for (std::size_t k = 0; k < bins.size(); ++k) {
            EXPECT_NEAR(bins[k].real(), expected[k].real(), 1e-3) << k;
            EXPECT_NEAR(bins[k].imag(), expected[k].imag(), 1e-3) << k;
        }
    }
}

TEST(FftDeathTest, RefusesALengthThatIsNotAPowerOfTwo) {
    EXPECT_DEATH(fft{12}, "");
}

}  // namespace
}  // namespace reelsd::media::sound
