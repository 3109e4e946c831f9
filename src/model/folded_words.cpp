#include "folded_words.hpp"

#include <reelsd/base/utf8.hpp>

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace reelsd::model {

namespace {

struct undecomposed {
    char32_t value;
    std::string_view letters;
};

// Letters that Unicode does not decompose, though people read them as these. Sorted.
constexpr auto undecomposed_letters = std::to_array<undecomposed>({
    {0xE6, "ae"},
    {0xF0, "d"},
    {0xF8, "o"},
    {0xFE, "th"},
    {0x111, "d"},
    {0x127, "h"},
    {0x131, "i"},
    {0x138, "k"},
    {0x142, "l"},
    {0x14B, "n"},
    {0x153, "oe"},
    {0x167, "t"},
});

/// The text without case and with accents after their letters. Source: Unicode 15, chapter 3.13.
std::u32string folded(std::string_view text) {
    std::u32string points;
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        points += read.value;
    }
    std::size_t size = 0;
    const std::unique_ptr<std::uint32_t, decltype(&std::free)> result{
        ::u32_casefold(
            reinterpret_cast<const std::uint32_t*>(points.data()),
            points.size(),
            nullptr,
            UNINORM_NFKD,
            nullptr,
            &size),
        &std::free};
    if (!result) throw std::bad_alloc{};
    return {result.get(), result.get() + size};
}

/// Appends the plain form of a folded Latin letter or digit; false when it is neither.
bool append_plain(std::string& word, char32_t value) {
    if ((value >= 'a' && value <= 'z') || (value >= '0' && value <= '9')) {
        word += static_cast<char>(value);
        return true;
    }
    const auto* const known = std::find_if(
        undecomposed_letters.begin(), undecomposed_letters.end(), [value](const undecomposed& row) {
            return row.value == value;
        });
    if (known == undecomposed_letters.end()) return false;
    word += known->letters;
    return true;
}

/// Accents, and apostrophes: "don't" is read as "dont".
bool is_inside_word(char32_t value) {
    return value == '\'' || value == 0x2019 || ::uc_is_general_category(value, UC_CATEGORY_Mn);
}

}  // namespace

std::vector<std::string> folded_words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto close = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    for (const auto value : folded(text)) {
        if (!is_inside_word(value) && !append_plain(word, value)) close();
    }
    close();
    return words;
}

bool is_mostly_latin(std::string_view text) {
    const auto* const latin_script = ::uc_script_byname("Latin");
    std::size_t latin = 0;
    std::size_t others = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        if (!::uc_is_general_category(read.value, UC_CATEGORY_L)) continue;
        ++(::uc_is_script(read.value, latin_script) ? latin : others);
    }
    return latin > others;
}

}  // namespace reelsd::model
