#include "script.hpp"

#include "utf8.hpp"
#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace reelsd::model {

namespace {

// Fewer letters may be a name or a cry.
constexpr std::size_t letters_min = 12;

struct script_range {
    char32_t first;
    char32_t last;
    script letters;
};

// Blocks of Unicode, sorted.
constexpr auto script_ranges = std::to_array<script_range>({
    {'A', 'Z', script::latin},          {'a', 'z', script::latin},
    {0xC0, 0xD6, script::latin},        {0xD8, 0xF6, script::latin},
    {0xF8, 0x24F, script::latin},       {0x370, 0x3FF, script::greek},
    {0x400, 0x52F, script::cyrillic},   {0x531, 0x587, script::armenian},
    {0x5D0, 0x5F2, script::hebrew},     {0x620, 0x64A, script::arabic},
    {0x66E, 0x6D3, script::arabic},     {0x6FA, 0x77F, script::arabic},
    {0x900, 0x963, script::devanagari}, {0x971, 0x97F, script::devanagari},
    {0x980, 0x9FF, script::bengali},    {0xA00, 0xA7F, script::gurmukhi},
    {0xA80, 0xAFF, script::gujarati},   {0xB80, 0xBFF, script::tamil},
    {0xC00, 0xC7F, script::telugu},     {0xC80, 0xCFF, script::kannada},
    {0xD00, 0xD7F, script::malayalam},  {0xD80, 0xDFF, script::sinhala},
    {0xE01, 0xE4F, script::thai},       {0xE80, 0xEFF, script::lao},
    {0x1000, 0x109F, script::burmese},  {0x10A0, 0x10FF, script::georgian},
    {0x1100, 0x11FF, script::hangul},   {0x1200, 0x137F, script::ethiopic},
    {0x1780, 0x17FF, script::khmer},    {0x1E00, 0x1EFF, script::latin},
    {0x1F00, 0x1FFF, script::greek},    {0x3041, 0x3096, script::kana},
    {0x30A1, 0x30FF, script::kana},     {0x3400, 0x4DBF, script::han},
    {0x4E00, 0x9FFF, script::han},      {0xAC00, 0xD7A3, script::hangul},
    {0xFF21, 0xFF3A, script::latin},    {0xFF41, 0xFF5A, script::latin},
    {0x20000, 0x2FA1F, script::han},
});
static_assert(std::is_sorted(
    script_ranges.begin(), script_ranges.end(),
    [](const script_range& left, const script_range& right) { return left.last < right.first; }));

struct folded_range {
    char32_t first;
    char32_t last;
    std::string_view letter;
};

// Latin letters with accents and what they are without, sorted.
constexpr auto folded_ranges = std::to_array<folded_range>({
    {0xC0, 0xC5, "a"},     {0xC6, 0xC6, "ae"},    {0xC7, 0xC7, "c"},     {0xC8, 0xCB, "e"},
    {0xCC, 0xCF, "i"},     {0xD0, 0xD0, "d"},     {0xD1, 0xD1, "n"},     {0xD2, 0xD6, "o"},
    {0xD8, 0xD8, "o"},     {0xD9, 0xDC, "u"},     {0xDD, 0xDD, "y"},     {0xDE, 0xDE, "th"},
    {0xDF, 0xDF, "ss"},    {0xE0, 0xE5, "a"},     {0xE6, 0xE6, "ae"},    {0xE7, 0xE7, "c"},
    {0xE8, 0xEB, "e"},     {0xEC, 0xEF, "i"},     {0xF0, 0xF0, "d"},     {0xF1, 0xF1, "n"},
    {0xF2, 0xF6, "o"},     {0xF8, 0xF8, "o"},     {0xF9, 0xFC, "u"},     {0xFD, 0xFD, "y"},
    {0xFE, 0xFE, "th"},    {0xFF, 0xFF, "y"},     {0x100, 0x105, "a"},   {0x106, 0x10D, "c"},
    {0x10E, 0x111, "d"},   {0x112, 0x11B, "e"},   {0x11C, 0x123, "g"},   {0x124, 0x127, "h"},
    {0x128, 0x131, "i"},   {0x132, 0x133, "ij"},  {0x134, 0x135, "j"},   {0x136, 0x138, "k"},
    {0x139, 0x142, "l"},   {0x143, 0x14B, "n"},   {0x14C, 0x151, "o"},   {0x152, 0x153, "oe"},
    {0x154, 0x159, "r"},   {0x15A, 0x161, "s"},   {0x162, 0x167, "t"},   {0x168, 0x173, "u"},
    {0x174, 0x175, "w"},   {0x176, 0x178, "y"},   {0x179, 0x17E, "z"},   {0x17F, 0x17F, "s"},
    {0x1A0, 0x1A1, "o"},   {0x1AF, 0x1B0, "u"},   {0x218, 0x219, "s"},   {0x21A, 0x21B, "t"},
    {0x1EA0, 0x1EB7, "a"}, {0x1EB8, 0x1EC7, "e"}, {0x1EC8, 0x1ECB, "i"}, {0x1ECC, 0x1EE3, "o"},
    {0x1EE4, 0x1EF1, "u"}, {0x1EF2, 0x1EF9, "y"},
});
static_assert(std::is_sorted(
    folded_ranges.begin(), folded_ranges.end(),
    [](const folded_range& left, const folded_range& right) { return left.last < right.first; }));

/// The range that holds `value`; null when none does.
template <class Ranges>
const typename Ranges::value_type* range_of(const Ranges& ranges, char32_t value) {
    const auto found = std::lower_bound(
        ranges.begin(), ranges.end(), value, [](const auto& range, char32_t sought) {
            return range.last < sought;
        });
    return found != ranges.end() && found->first <= value ? &*found : nullptr;
}

/// Accents that stand after their letter, and apostrophes: "don't" is read as "dont".
constexpr bool is_inside_word(char32_t value) noexcept {
    return (value >= 0x300 && value <= 0x36F) || value == '\'' || value == 0x2019;
}

constexpr char32_t unwidened(char32_t value) noexcept {
    return value >= 0xFF01 && value <= 0xFF5E ? value - 0xFEE0 : value;
}

/// Appends the plain form of a Latin letter or digit; false when it is neither.
bool append_folded(std::string& word, char32_t value) {
    value = unwidened(value);
    if (value >= 'A' && value <= 'Z') value += 'a' - 'A';
    if ((value >= 'a' && value <= 'z') || (value >= '0' && value <= '9')) {
        word += static_cast<char>(value);
        return true;
    }
    const auto* const accented = range_of(folded_ranges, value);
    if (accented != nullptr) word += accented->letter;
    return accented != nullptr;
}

using letter_counts = std::array<std::size_t, static_cast<std::size_t>(script::han) + 1>;

/// A character of Korean, Japanese and Chinese is a syllable or a word: it counts as two letters.
letter_counts letters_of(std::string_view text) {
    letter_counts counts{};
    for (std::size_t at = 0; at < text.size();) {
        const auto read = read_code_point(text, at);
        at += read.bytes;
        const auto letters = script_of(read.value);
        counts.at(static_cast<std::size_t>(letters)) += letters >= script::hangul ? 2 : 1;
    }
    counts.at(static_cast<std::size_t>(script::none)) = 0;
    return counts;
}

}  // namespace

std::string_view name_of(script letters) noexcept {
    switch (letters) {
        case script::none: return {};
        case script::latin: return "Latin";
        case script::greek: return "Greek";
        case script::cyrillic: return "Cyrillic";
        case script::armenian: return "Armenian";
        case script::hebrew: return "Hebrew";
        case script::arabic: return "Arabic";
        case script::devanagari: return "Devanagari";
        case script::bengali: return "Bengali";
        case script::gurmukhi: return "Gurmukhi";
        case script::gujarati: return "Gujarati";
        case script::tamil: return "Tamil";
        case script::telugu: return "Telugu";
        case script::kannada: return "Kannada";
        case script::malayalam: return "Malayalam";
        case script::sinhala: return "Sinhala";
        case script::thai: return "Thai";
        case script::lao: return "Lao";
        case script::burmese: return "Burmese";
        case script::georgian: return "Georgian";
        case script::ethiopic: return "Ethiopic";
        case script::khmer: return "Khmer";
        case script::hangul: return "Korean";
        case script::kana: return "Japanese";
        case script::han: return "Chinese";
    }
    invariant(false);
    return {};
}

script script_of(char32_t value) noexcept {
    const auto* const range = range_of(script_ranges, value);
    return range == nullptr ? script::none : range->letters;
}

script main_script_of(std::string_view text) {
    auto counts = letters_of(text);
    auto& kana = counts.at(static_cast<std::size_t>(script::kana));
    auto& han = counts.at(static_cast<std::size_t>(script::han));
    // Japanese has both; Chinese has no kana.
    if (kana * 10 >= kana + han) kana += std::exchange(han, 0);
    std::size_t letters = 0;
    for (const auto count : counts) letters += count;
    const auto* const most = std::max_element(counts.begin(), counts.end());
    if (letters < letters_min || *most * 5 < letters * 4) return script::none;
    return static_cast<script>(most - counts.begin());
}

std::vector<std::string> folded_words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto close = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto read = read_code_point(text, at);
        at += read.bytes;
        if (!is_inside_word(read.value) && !append_folded(word, read.value)) close();
    }
    close();
    return words;
}

}  // namespace reelsd::model
