#pragma once

#include <reelsd/http/header_fields.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

/// What the protocol calls its kinds of characters. No locale has a say in it.
namespace reelsd::http {

[[nodiscard]] constexpr std::uint32_t byte_of(char letter) noexcept {
    return static_cast<unsigned char>(letter);
}

[[nodiscard]] constexpr bool is_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9';
}

[[nodiscard]] constexpr bool is_alphanumeric(char letter) noexcept {
    return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// C0 and DEL; HTAB is one of them.
[[nodiscard]] constexpr bool is_control(char letter) noexcept {
    return byte_of(letter) < 0x20U || byte_of(letter) == 0x7FU;
}

/// Whether a byte is alphanumeric or one of `others`, for each of the 256.
[[nodiscard]] constexpr std::array<bool, 256> alphanumeric_or(std::string_view others) noexcept {
    std::array<bool, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        const char letter = static_cast<char>(byte);
        table[byte] = is_alphanumeric(letter) || others.find(letter) != std::string_view::npos;
    }
    return table;
}

inline constexpr auto token_table = alphanumeric_or("!#$%&'*+-.^_`|~");

/// A token of RFC 9110 5.6.2: what methods and field names are.
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
    const auto fits = [](char letter) { return token_table[byte_of(letter)]; };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

/// Without OWS of RFC 9110 5.6.3 around it: spaces and tabs.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

[[nodiscard]] constexpr std::optional<std::uint32_t> hex_value(char letter) noexcept {
    if (is_digit(letter)) return byte_of(letter) - byte_of('0');
    if (letter >= 'a' && letter <= 'f') return byte_of(letter) - byte_of('a') + 10U;
    if (letter >= 'A' && letter <= 'F') return byte_of(letter) - byte_of('A') + 10U;
    return std::nullopt;
}

}  // namespace reelsd::http
