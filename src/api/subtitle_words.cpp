#include "subtitle_words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace reelsd::api {
namespace {

struct code_range {
    std::uint32_t first;
    std::uint32_t last;
};

/// As terminals and players show them: wide by UAX #11, in whole blocks.
constexpr auto wide_ranges = std::to_array<code_range>(
    {{0x1100, 0x115F},
     {0x2E80, 0xA4CF},
     {0xAC00, 0xD7A3},
     {0xF900, 0xFAFF},
     {0xFE30, 0xFE6F},
     {0xFF00, 0xFF60},
     {0xFFE0, 0xFFE6},
     {0x1F300, 0x1FAFF},
     {0x20000, 0x3FFFD}});

/// Shown together with the character before: accents, joiners, variation selectors.
constexpr auto joined_ranges = std::to_array<code_range>(
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0x1F3FB, 0x1F3FF}});

/// Blanks, line breaks and control characters. The no-break space is none of them.
constexpr auto blank_ranges = std::to_array<code_range>(
    {{0x0000, 0x0020}, {0x007F, 0x009F}, {0x2028, 0x2029}, {0x3000, 0x3000}});

template <std::size_t Size>
bool is_in(const std::array<code_range, Size>& ranges, std::uint32_t point) {
    return std::any_of(ranges.begin(), ranges.end(), [point](const code_range& range) {
        return point >= range.first && point <= range.last;
    });
}

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// The first character of `text`, which is not empty, with its bytes.
std::string_view first_character(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && continues_character(text[size])) ++size;
    return text.substr(0, size);
}

std::uint32_t code_point_of(std::string_view character) {
    const std::uint32_t lead = static_cast<unsigned char>(character.front());
    if (lead < 0x80U) return lead;
    // The lead byte of two has five bits of its own, of three four, of four three.
    const std::uint32_t lead_bits = lead < 0xE0U ? 0x1FU : lead < 0xF0U ? 0x0FU : 0x07U;
    std::uint32_t point = lead & lead_bits;
    for (const char byte : character.substr(1)) {
        point = (point << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
    }
    return point;
}

int width_of(std::uint32_t point) {
    if (is_in(joined_ranges, point)) return 0;
    return is_in(wide_ranges, point) ? 2 : 1;
}

word_end end_of(std::uint32_t last) {
    switch (last) {
        case U'.':
        case U'!':
        case U'?':
        case U'…':
        case U'。':
        case U'！':
        case U'？':
        case U'।': return word_end::sentence;
        case U',':
        case U';':
        case U':':
        case U'，':
        case U'、':
        case U'；':
        case U'：': return word_end::clause;
        default: return word_end::nothing;
    }
}

/// What stands behind the end of a sentence and does not change it.
bool closes_quotation(std::uint32_t point) {
    return point == U'"' || point == U'\'' || point == U'”' || point == U'’' || point == U'»' ||
           point == U')' || point == U'」';
}

}  // namespace

std::vector<subtitle_word> subtitle_words(std::string_view text, int width_max) {
    std::vector<subtitle_word> words;
    bool begins_word = true;
    bool follows_blank = true;
    while (!text.empty()) {
        const auto character = first_character(text);
        const auto point = code_point_of(character);
        text.remove_prefix(character.size());
        if (is_in(blank_ranges, point)) {
            begins_word = follows_blank = true;
            continue;
        }
        // A word has a width, whatever it is made of: no line holds any number of them.
        const int width = begins_word ? std::max(width_of(point), 1) : width_of(point);
        if (begins_word || words.back().width + width > width_max) {
            words.push_back(
                {.text = {character.data(), 0}, .width = 0, .follows_blank = follows_blank});
        }
        auto& word = words.back();
        word.text = {word.text.data(), word.text.size() + character.size()};
        word.width += width;
        if (!closes_quotation(point)) word.ends = end_of(point);
        begins_word = follows_blank = false;
    }
    return words;
}

}  // namespace reelsd::api
