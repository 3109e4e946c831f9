#include <reelsd/base/utf8.hpp>

#include <uninorm.h>
#include <unistr.h>
#include <uniwidth.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace reelsd {
namespace {

const std::uint8_t* octets_of(std::string_view text) noexcept {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

code_point code_point_at(std::string_view text, std::size_t at) noexcept {
    if (const auto octet = static_cast<std::uint8_t>(text[at]); octet < 0x80)
        return {.value = octet, .bytes = 1, .valid = true};
    const auto rest = text.substr(at);
    ucs4_t value = 0;
    const int bytes = u8_mbtoucr(&value, octets_of(rest), rest.size());
    if (bytes <= 0) return {};
    return {.value = value, .bytes = static_cast<std::size_t>(bytes), .valid = true};
}

void append_code_point(std::string& text, char32_t value) {
    if (value < 0x80) {
        text.push_back(static_cast<char>(value));
        return;
    }
    std::array<std::uint8_t, 4> octets{};
    const int bytes = u8_uctomb(octets.data(), value, octets.size());
    if (bytes > 0) text.append(octets.begin(), octets.begin() + bytes);
}

std::u32string code_points_of(std::string_view text) {
    std::u32string points;
    points.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        points += read.value;
    }
    return points;
}

std::string utf8_of(std::u32string_view points) {
    std::string text;
    text.reserve(points.size());
    for (const auto point : points) append_code_point(text, point);
    return text;
}

std::size_t code_point_count(std::string_view text) noexcept {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) at += code_point_at(text, at).bytes;
    return count;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max) noexcept {
    if (text.size() <= bytes_max) return text;
    auto end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end);
}

bool is_utf8(std::string_view text) noexcept {
    return u8_check(octets_of(text), text.size()) == nullptr;
}

std::string composed(std::string_view text) {
    if (std::ranges::all_of(text, [](unsigned char octet) { return octet < 0x80; }))
        return std::string{text};
    struct free_deleter {
        void operator()(std::uint8_t* octets) const noexcept { std::free(octets); }
    };
    std::size_t length = 0;
    const std::unique_ptr<std::uint8_t, free_deleter> octets{
        u8_normalize(UNINORM_NFC, octets_of(text), text.size(), nullptr, &length)};
    if (!octets) return std::string{text};
    return {reinterpret_cast<const char*>(octets.get()), length};
}

int column_width(char32_t character) noexcept {
    if (character < 0x300) return 1;
    // A skin tone modifies the emoji before it.
    if (character >= 0x1F3FB && character <= 0x1F3FF) return 0;
    const int columns = ::uc_width(character, "UTF-8");
    return columns < 0 ? 1 : columns;
}

}  // namespace reelsd
