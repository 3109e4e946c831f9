#include "utf8.hpp"

namespace reelsd::model {

namespace {

constexpr char32_t replacement = 0xFFFD;

constexpr unsigned char byte_at(std::string_view text, std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]);
}

/// Length of the sequence that `lead` opens; 0 when it opens none.
constexpr std::size_t sequence_bytes(unsigned char lead) noexcept {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

/// The smallest value that needs so many bytes; below it the form is overlong.
constexpr char32_t smallest_of(std::size_t bytes) noexcept {
    if (bytes == 2) return 0x80;
    return bytes == 3 ? 0x800 : 0x10000;
}

constexpr bool is_control(char32_t value) noexcept {
    if (value == '\n' || value == '\t') return false;
    return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

constexpr bool is_blank(char byte) noexcept {
    return byte == ' ' || byte == '\n' || byte == '\t';
}

void trim(std::string& text) {
    while (!text.empty() && is_blank(text.back())) text.pop_back();
    std::size_t leading = 0;
    while (leading < text.size() && is_blank(text[leading])) ++leading;
    text.erase(0, leading);
}

}  // namespace

code_point read_code_point(std::string_view text, std::size_t at) noexcept {
    constexpr code_point broken{replacement, 1, false};
    const auto lead = byte_at(text, at);
    const auto bytes = sequence_bytes(lead);
    if (bytes == 1) return {lead, 1, true};
    if (bytes == 0 || text.size() - at < bytes) return broken;

    char32_t value = lead & (0x7FU >> bytes);
    for (std::size_t next = 1; next < bytes; ++next) {
        const auto trail = byte_at(text, at + next);
        if ((trail & 0xC0U) != 0x80U) return broken;
        value = (value << 6U) | (trail & 0x3FU);
    }
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < smallest_of(bytes) || value > 0x10FFFF || surrogate) return broken;
    return {value, bytes, true};
}

void append_code_point(std::string& text, char32_t value) {
    const auto trail = [value](unsigned shift) {
        return static_cast<char>(0x80U | ((value >> shift) & 0x3FU));
    };
    if (value < 0x80) {
        text += static_cast<char>(value);
    } else if (value < 0x800) {
        text += {static_cast<char>(0xC0U | (value >> 6U)), trail(0)};
    } else if (value < 0x10000) {
        text += {static_cast<char>(0xE0U | (value >> 12U)), trail(6), trail(0)};
    } else {
        text += {static_cast<char>(0xF0U | (value >> 18U)), trail(12), trail(6), trail(0)};
    }
}

std::string clean_text(std::string_view text, std::size_t characters_max) {
    std::string clean;
    clean.reserve(text.size());
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size() && characters < characters_max;) {
        const auto read = read_code_point(text, at);
        at += read.bytes;
        if (is_control(read.value)) continue;
        append_code_point(clean, read.value);
        ++characters;
    }
    trim(clean);
    return clean;
}

bool is_clean(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const auto read = read_code_point(text, at);
        if (!read.well_formed || is_control(read.value)) return false;
        at += read.bytes;
    }
    return true;
}

std::size_t character_count(std::string_view text) noexcept {
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size(); ++characters) at += read_code_point(text, at).bytes;
    return characters;
}

}  // namespace reelsd::model
