#include "high_dynamic_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace reelsd::media::picture {
namespace {

/// Luminances in cd/m².
constexpr double diffuse_white = 203;
constexpr double quantizer_peak = 10'000;
/// Of the display for which HLG has a system gamma of 1.2.
constexpr double log_gamma_peak = 1000;
constexpr double system_gamma = 1.2;
/// BT.1886, so that a scene has the same values as when it is recorded in SDR.
constexpr double display_gamma = 2.4;

/// The light of a display, as a share of the peak (SMPTE ST 2084).
double light_of_quantizer(double signal) {
    constexpr double m1 = 2610.0 / 16384;
    constexpr double m2 = 2523.0 / 4096 * 128;
    constexpr double c1 = 3424.0 / 4096;
    constexpr double c2 = 2413.0 / 4096 * 32;
    constexpr double c3 = 2392.0 / 4096 * 32;
    const double power = std::pow(signal, 1 / m2);
    return std::pow(std::max(power - c1, 0.0) / (c2 - c3 * power), 1 / m1);
}

/// The light of the scene, 0 to 1 (ARIB STD-B67).
double light_of_log_gamma(double signal) {
    constexpr double a = 0.17883277;
    constexpr double b = 0.28466892;
    constexpr double c = 0.55991073;
    return signal <= 0.5 ? signal * signal / 3 : (std::exp((signal - c) / a) + b) / 12;
}

/// `count` values of a function from 0 to 1.
template <class Value, std::size_t count, class Function>
std::array<Value, count> sampled(Function function) {
    std::array<Value, count> values{};
    for (std::size_t at = 0; at < count; ++at) {
        values[at] = static_cast<Value>(function(static_cast<double>(at) / (count - 1)));
    }
    return values;
}

/// The sample of a function at `at`, which is clipped to 0 to 1.
template <class Value, std::size_t count>
Value sample(const std::array<Value, count>& values, float at) {
    const float index = std::clamp(at, 0.0F, 1.0F) * static_cast<float>(count - 1) + 0.5F;
    return values[static_cast<std::size_t>(index)];
}

/// Light as shares of diffuse white.
using channel_light = std::array<float, 256>;

channel_light light_of(hdr_transfer transfer) {
    if (transfer == hdr_transfer::perceptual_quantizer) {
        return sampled<float, 256>([](double signal) {
            return quantizer_peak / diffuse_white * light_of_quantizer(signal);
        });
    }
    return sampled<float, 256>(&light_of_log_gamma);
}

/// The display's light for the light of the scene, by its luminance (BT.2100).
float log_gamma_gain(float red, float green, float blue) {
    static const auto gains = sampled<float, 1024>([](double luminance) {
        return log_gamma_peak / diffuse_white * std::pow(luminance, system_gamma - 1);
    });
    return sample(gains, 0.2627F * red + 0.6780F * green + 0.0593F * blue);
}

}  // namespace

void convert_to_sdr(std::span<std::uint8_t> rgb, hdr_transfer transfer) {
    static const std::array lights{
        light_of(hdr_transfer::perceptual_quantizer), light_of(hdr_transfer::hybrid_log_gamma)};
    // Fine enough for the steep start of the curve.
    static const auto curve = sampled<std::uint8_t, 65536>(
        [](double light) { return std::round(255 * std::pow(light, 1 / display_gamma)); });
    const bool has_system_gamma = transfer == hdr_transfer::hybrid_log_gamma;
    const channel_light& light = lights[has_system_gamma ? 1 : 0];
    for (std::size_t at = 0; at + 3 <= rgb.size(); at += 3) {
        const float red = light[rgb[at]];
        const float green = light[rgb[at + 1]];
        const float blue = light[rgb[at + 2]];
        const float gain = has_system_gamma ? log_gamma_gain(red, green, blue) : 1.0F;
        // From the primaries of BT.2020 to those of BT.709 (BT.2087).
        rgb[at] = sample(curve, gain * (1.6605F * red - 0.5876F * green - 0.0728F * blue));
        rgb[at + 1] = sample(curve, gain * (-0.1246F * red + 1.1329F * green - 0.0083F * blue));
        rgb[at + 2] = sample(curve, gain * (-0.0182F * red - 0.1006F * green + 1.1187F * blue));
    }
}

}  // namespace reelsd::media::picture
