#include "base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace reelsd::media::base64 {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> make_values() {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::size_t value = 0; value < alphabet.size(); ++value) {
        values[static_cast<std::uint8_t>(alphabet[value])] = static_cast<std::uint8_t>(value);
    }
    return values;
}
constexpr auto values_of_digits = make_values();

}  // namespace

std::string encode(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = (group << 8U) | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0);
        }
        // One byte has two digits, two have three.
        for (std::size_t digit = 0; digit < 4; ++digit) {
            const auto value = (group >> (18U - 6U * digit)) & 0x3fU;
            text.push_back(digit <= count ? alphabet[value] : '=');
        }
    }
    return text;
}

std::optional<std::vector<std::byte>> decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t held = 0;
    unsigned held_bits = 0;
    for (const char digit : text) {
        const auto value = values_of_digits[static_cast<std::uint8_t>(digit)];
        if (value == no_digit) return std::nullopt;
        held = (held << 6U) | value;
        held_bits += 6;
        if (held_bits < 8) continue;
        held_bits -= 8;
        bytes.push_back(static_cast<std::byte>((held >> held_bits) & 0xffU));
        held &= (1U << held_bits) - 1U;
    }
    if (held != 0) return std::nullopt;
    return bytes;
}

}  // namespace reelsd::media::base64
