#include "utf8.hpp"

#include <uniwidth.h>

namespace reelsd::cli {
namespace {

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
    // Skin tones are drawn into the emoji before them, which is where they always stand.
    if (code_point >= 0x1F3FB && code_point <= 0x1F3FF) return 0;
    const int cells = uc_width(code_point, "UTF-8");
    return cells < 0 ? 1 : static_cast<std::size_t>(cells);
}

}  // namespace reelsd::cli
