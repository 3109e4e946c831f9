#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>

namespace reelsd {

/// The number that the whole text represents, without spaces or '+'. Empty for other text, and for
/// a number that does not fit `Integer`.
template <std::integral Integer>
[[nodiscard]] std::optional<Integer> parse_number(std::string_view text, int base = 10) noexcept {
    Integer number{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, base);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
}

/// Likewise. Unless `format` excludes them, exponents, "inf" and "nan" are numbers as well.
template <std::floating_point Float>
[[nodiscard]] std::optional<Float> parse_number(
    std::string_view text, std::chars_format format = std::chars_format::general) noexcept {
    Float number{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, format);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return number;
}

}  // namespace reelsd
