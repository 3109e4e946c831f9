#pragma once

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

/// Character classes of HTTP, independent of the locale.
namespace reelsd::http {

/// OWS of RFC 9110 5.6.3.
inline constexpr std::string_view optional_whitespace = " \t";

[[nodiscard]] constexpr std::uint32_t byte_of(char letter) noexcept {
    return static_cast<unsigned char>(letter);
}

/// C0, which includes HTAB, and DEL.
[[nodiscard]] constexpr bool is_control(char letter) noexcept {
    return byte_of(letter) < 0x20U || byte_of(letter) == 0x7FU;
}

/// For each of the 256 bytes, whether it is alphanumeric or one of `others`.
[[nodiscard]] constexpr std::array<bool, 256> alphanumeric_or(std::string_view others) noexcept {
    std::array<bool, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        const char letter = static_cast<char>(byte);
        table[byte] = is_alphanumeric(letter) || others.find(letter) != std::string_view::npos;
    }
    return table;
}

inline constexpr auto token_table = alphanumeric_or("!#$%&'*+-.^_`|~");

/// A token of RFC 9110 5.6.2, as methods and field names are.
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
    const auto fits = [](char letter) { return token_table[byte_of(letter)]; };
    return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace reelsd::http
