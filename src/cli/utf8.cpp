#include "utf8.hpp"

#include <algorithm>
#include <array>

namespace reelsd::cli {
namespace {

struct code_point_range {
    char32_t first;
    char32_t last;
};

constexpr std::array zero_width{
    code_point_range{0x0300, 0x036F},    // combining diacritics
    code_point_range{0x0483, 0x0489},    // Cyrillic
    code_point_range{0x0591, 0x05BD},    // Hebrew points
    code_point_range{0x0610, 0x061A},    // Arabic marks
    code_point_range{0x064B, 0x065F},    // Arabic vowels
    code_point_range{0x093C, 0x093C},    // Devanagari nukta
    code_point_range{0x0941, 0x0948},    // Devanagari vowels
    code_point_range{0x094D, 0x094D},    // Devanagari virama
    code_point_range{0x0E31, 0x0E31},    // Thai
    code_point_range{0x0E34, 0x0E3A},    // Thai
    code_point_range{0x0E47, 0x0E4E},    // Thai
    code_point_range{0x1AB0, 0x1AFF},    // combining diacritics, extended
    code_point_range{0x1DC0, 0x1DFF},    // combining diacritics, supplement
    code_point_range{0x200B, 0x200F},    // zero-width blank, joiners, marks of direction
    code_point_range{0x2060, 0x2064},    // word joiner and invisible operators
    code_point_range{0x20D0, 0x20FF},    // combining marks for symbols
    code_point_range{0xFE00, 0xFE0F},    // variation selectors
    code_point_range{0xFE20, 0xFE2F},    // combining half marks
    code_point_range{0xFEFF, 0xFEFF},    // byte order mark
    code_point_range{0x1F3FB, 0x1F3FF},  // skin tones, drawn into the emoji before them
    code_point_range{0xE0000, 0xE007F},  // tags
};

constexpr std::array double_width{
    code_point_range{0x1100, 0x115F},    // Hangul Jamo
    code_point_range{0x231A, 0x231B},    // watch, hourglass
    code_point_range{0x23E9, 0x23EC},    // media buttons
    code_point_range{0x2614, 0x2615},    // umbrella, hot drink
    code_point_range{0x2648, 0x2653},    // zodiac
    code_point_range{0x26BD, 0x26BE},    // balls
    code_point_range{0x2705, 0x2705},    // check mark
    code_point_range{0x2728, 0x2728},    // sparkles
    code_point_range{0x274C, 0x274C},    // cross mark
    code_point_range{0x2753, 0x2757},    // question and exclamation marks
    code_point_range{0x2B50, 0x2B50},    // star
    code_point_range{0x2E80, 0x303E},    // CJK radicals and punctuation
    code_point_range{0x3041, 0x33FF},    // Kana to CJK compatibility
    code_point_range{0x3400, 0x4DBF},    // CJK extension A
    code_point_range{0x4E00, 0x9FFF},    // CJK
    code_point_range{0xA000, 0xA4CF},    // Yi
    code_point_range{0xAC00, 0xD7A3},    // Hangul
    code_point_range{0xF900, 0xFAFF},    // CJK compatibility ideographs
    code_point_range{0xFE30, 0xFE6F},    // CJK compatibility forms
    code_point_range{0xFF00, 0xFF60},    // full-width forms
    code_point_range{0xFFE0, 0xFFE6},    // full-width signs
    code_point_range{0x1F300, 0x1F64F},  // pictographs, emoticons
    code_point_range{0x1F680, 0x1F6FF},  // transport
    code_point_range{0x1F7E0, 0x1F7EB},  // coloured shapes
    code_point_range{0x1F900, 0x1F9FF},  // pictographs, supplement
    code_point_range{0x1FA70, 0x1FAFF},  // pictographs, extended
    code_point_range{0x20000, 0x3FFFD},  // CJK extensions B and on
};

template <std::size_t Count>
bool contains(const std::array<code_point_range, Count>& ranges, char32_t code_point) {
    const auto* const after = std::upper_bound(
        ranges.begin(), ranges.end(), code_point, [](char32_t value, const code_point_range& one) {
            return value < one.first;
        });
    return after != ranges.begin() && code_point <= std::prev(after)->last;
}

/// What the first byte of a character says about the rest.
struct lead {
    std::size_t bytes;   ///< 0 when it is no first byte.
    char32_t bits;       ///< Its own share of the code point.
    char32_t value_min;  ///< Smaller ones have a shorter form: overlong.
};

lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {1, byte, 0};
    if (byte >= 0xC2 && byte <= 0xDF) return {2, static_cast<char32_t>(byte & 0x1FU), 0x80};
    if (byte >= 0xE0 && byte <= 0xEF) return {3, static_cast<char32_t>(byte & 0x0FU), 0x800};
    if (byte >= 0xF0 && byte <= 0xF4) return {4, static_cast<char32_t>(byte & 0x07U), 0x10000};
    return {0, 0, 0};
}

}  // namespace

utf8_character utf8_at(std::string_view text, std::size_t at) {
    const auto first = lead_of(static_cast<unsigned char>(text[at]));
    if (first.bytes == 0) return {};
    char32_t code_point = first.bits;
    for (std::size_t index = 1; index < first.bytes; ++index) {
        const auto byte =
            at + index < text.size() ? static_cast<unsigned char>(text[at + index]) : 0U;
        if ((byte & 0xC0U) != 0x80U) return {.code_point = 0xFFFD, .bytes = index, .valid = false};
        code_point = (code_point << 6U) | (byte & 0x3FU);
    }
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    if (code_point < first.value_min || surrogate || code_point > 0x10FFFF) {
        return {.code_point = 0xFFFD, .bytes = first.bytes, .valid = false};
    }
    return {.code_point = code_point, .bytes = first.bytes, .valid = true};
}

std::size_t cells_of(char32_t code_point) {
    if (code_point < 0x300) return 1;
    if (contains(zero_width, code_point)) return 0;
    return contains(double_width, code_point) ? 2 : 1;
}

}  // namespace reelsd::cli
