#pragma once

#include <charconv>
#include <chrono>
#include <concepts>
#include <cstdint>
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

/// The day of "2026-05-22"; empty for other text and for impossible days.
[[nodiscard]] inline std::optional<std::chrono::year_month_day> parse_day(
    std::string_view text) noexcept {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = parse_number<std::uint16_t>(text.substr(0, 4));
    const auto month = parse_number<std::uint8_t>(text.substr(5, 2));
    const auto day = parse_number<std::uint8_t>(text.substr(8, 2));
    if (!year || !month || !day || *year < 1) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{*year}, std::chrono::month{*month}, std::chrono::day{*day}};
    return date.ok() ? std::optional{date} : std::nullopt;
}

}  // namespace reelsd
