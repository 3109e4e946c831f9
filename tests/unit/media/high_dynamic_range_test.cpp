// Goal: colours of high dynamic range become those of the same scene in SDR. Method: SDR values
// that another program converted to each transfer function, in 8 bits.
#include "picture/high_dynamic_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {
namespace {

using ::testing::ElementsAre;

using rgb = std::array<std::uint8_t, 3>;

TEST(HighDynamicRange, HasTheColoursOfSdr) {
    struct test_case {
        const char* name;
        rgb quantizer;
        rgb log_gamma;
        rgb sdr;
    };
    constexpr test_case cases[] = {
        {"orange", {131, 110, 75}, {168, 120, 53}, {0xe0, 0x80, 0x30}},
        {"red", {119, 75, 52}, {150, 58, 30}, {0xc0, 0x28, 0x18}},
        {"green", {91, 111, 79}, {81, 127, 61}, {0x30, 0x90, 0x40}},
        {"brown", {92, 78, 57}, {92, 66, 37}, {0x70, 0x48, 0x28}},
        {"white", {148, 148, 148}, {191, 191, 191}, {0xff, 0xff, 0xff}},
        {"grey", {106, 106, 106}, {114, 114, 114}, {0x80, 0x80, 0x80}},
        {"black", {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {"sunlight", {220, 220, 220}, {250, 250, 250}, {0xff, 0xff, 0xff}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto expect_sdr = [&expected](rgb colour, hdr_transfer transfer) {
            convert_to_sdr(colour, transfer);
            for (std::size_t channel = 0; channel < 3; ++channel) {
                EXPECT_NEAR(colour[channel], expected.sdr[channel], 4) << channel;
            }
        };
        expect_sdr(expected.quantizer, hdr_transfer::perceptual_quantizer);
        expect_sdr(expected.log_gamma, hdr_transfer::hybrid_log_gamma);
    }
}

TEST(HighDynamicRange, IsConvertedInWholePixels) {
    std::vector<std::uint8_t> pixels{220, 220, 220, 0, 0, 0, 77};
    convert_to_sdr(pixels, hdr_transfer::hybrid_log_gamma);
    EXPECT_THAT(pixels, ElementsAre(255, 255, 255, 0, 0, 0, 77));
}

}  // namespace
}  // namespace reelsd::media::picture
