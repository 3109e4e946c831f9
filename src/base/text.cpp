#include <reelsd/base/text.hpp>

#include <cstddef>

namespace reelsd {

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char byte : text) {
        if (is_alphanumeric(byte) ||
            std::string_view{"-._~"}.find(byte) != std::string_view::npos) {
            encoded += byte;
        } else {
            const auto value = static_cast<unsigned char>(byte);
            encoded += {'%', digits[value >> 4U], digits[value & 0x0FU]};
        }
    }
    return encoded;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at];
            continue;
        }
        if (text.size() - at < 3) return std::nullopt;
        const auto high = hex_value(text[at + 1]);
        const auto low = hex_value(text[at + 2]);
        if (!high || !low) return std::nullopt;
        decoded += static_cast<char>(*high << 4U | *low);
        at += 2;
    }
    return decoded;
}

std::string grouped(std::int64_t number) {
    constexpr std::size_t group_digits = 3;
    auto digits = std::to_string(number);
    const std::size_t sign = number < 0 ? 1 : 0;
    for (auto at = digits.size(); at > sign + group_digits;) {
        at -= group_digits;
        digits.insert(at, 1, ',');
    }
    return digits;
}

}  // namespace reelsd
