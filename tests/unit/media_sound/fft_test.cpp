// Goal: the transform is the textbook's. Method: compare with the defining sum, for several
// lengths.

#include "fft.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace reelsd::media::sound {
namespace {

std::vector<std::complex<double>> defining_sum(const std::vector<std::complex<float>>& values) {
    std::vector<std::complex<double>> result(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
        for (std::size_t n = 0; n < values.size(); ++n) {
            const double angle = -2.0 * std::numbers::pi * static_cast<double>(k * n) /
                                 static_cast<double>(values.size());
            result[k] += std::complex<double>{values[n]} * std::polar(1.0, angle);
        }
    }
    return result;
}

TEST(Fft, AgreesWithItsDefinition) {
    for (const std::size_t length : {2U, 4U, 8U, 64U, 512U}) {
        SCOPED_TRACE(length);
        std::minstd_rand engine{3};
        std::uniform_real_distribution<float> value{-1.0F, 1.0F};
        std::vector<std::complex<float>> values(length);
        for (auto& one : values) one = {value(engine), value(engine)};
        const auto expected = defining_sum(values);

        fft{length}.transform(values);

        for (std::size_t k = 0; k < length; ++k) {
            EXPECT_NEAR(values[k].real(), expected[k].real(), 1e-3) << k;
            EXPECT_NEAR(values[k].imag(), expected[k].imag(), 1e-3) << k;
        }
    }
}

TEST(FftDeathTest, RefusesALengthThatIsNoPowerOfTwo) {
    EXPECT_DEATH(fft{12}, "");
}

}  // namespace
}  // namespace reelsd::media::sound
