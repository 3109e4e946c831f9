#pragma once

#include <reelsd/http/header_fields.hpp>

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

/// tchar of RFC 9110 5.6.2: what methods and field names are made of.
[[nodiscard]] constexpr bool is_token(char letter) noexcept {
    return is_alphanumeric(letter) ||
           std::string_view{"!#$%&'*+-.^_`|~"}.find(letter) != std::string_view::npos;
}

/// Without OWS of RFC 9110 5.6.3 around it: spaces and tabs.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    const auto begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

[[nodiscard]] constexpr std::optional<std::uint32_t> hex_value(char letter) noexcept {
    if (is_digit(letter)) return byte_of(letter) - byte_of('0');
    if (letter >= 'a' && letter <= 'f') return byte_of(letter) - byte_of('a') + 10U;
    if (letter >= 'A' && letter <= 'F') return byte_of(letter) - byte_of('A') + 10U;
    return std::nullopt;
}

}  // namespace reelsd::http
