#include "word_boundaries.hpp"

#include <reelsd/base/utf8.hpp>

#include <unictype.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace reelsd::model {
namespace {

bool has_category(char32_t value, std::uint32_t mask) {
    return ::uc_is_general_category_withtable(value, mask);
}

/// Whether a letter, digit or mark belongs to a word of a script that separates words. A sign with
/// marks, such as an emoji, does not.
bool is_in_word(const std::u32string& points, std::size_t at) {
    constexpr std::uint32_t mask =
        UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_Mc | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Nl;
    if (has_category(points[at], mask)) return !is_of_unspaced_script(points[at]);
    if (!has_category(points[at], UC_CATEGORY_MASK_Mn) || is_variation_selector(points[at]))
        return false;
    while (at > 0 && has_category(points[at], UC_CATEGORY_MASK_M)) --at;
    return has_category(points[at], mask) && !is_of_unspaced_script(points[at]);
}

/// Whether a word or number continues across `at`, which is not an end of the text.
bool continues_at(const std::u32string& points, std::size_t at) {
    const auto before = points[at - 1];
    const auto after = points[at];
    if (is_in_word(points, at - 1) && is_in_word(points, at)) return true;
    if (is_number_mark(before))
        return at > 1 && is_ascii_digit(points[at - 2]) && is_ascii_digit(after);
    if (!is_ascii_digit(before)) return false;
    if (has_category(after, UC_CATEGORY_MASK_No)) return true;  // "2|½"
    return is_number_mark(after) && at + 1 < points.size() && is_ascii_digit(points[at + 1]);
}

}  // namespace

bool is_of_unspaced_script(char32_t letter) {
    static const auto scripts = std::to_array<const uc_script_t*>({
        ::uc_script_byname("Han"),
        ::uc_script_byname("Hiragana"),
        ::uc_script_byname("Katakana"),
        ::uc_script_byname("Khmer"),
        ::uc_script_byname("Lao"),
        ::uc_script_byname("Myanmar"),
        ::uc_script_byname("Thai"),
    });
    constexpr char32_t long_vowel = 0x30FC;  // Of Hiragana and Katakana, so of no script.
    return letter >= 0x80 && (letter == long_vowel ||
                              std::ranges::find(scripts, ::uc_script(letter)) != scripts.end());
}

bool begins_inside_word(std::string_view text, std::size_t at) {
    static const auto* const arabic = ::uc_script_byname("Arabic");
    static const auto* const hebrew = ::uc_script_byname("Hebrew");
    const auto points = code_points_of(text);
    const auto begin = code_points_of(text.substr(0, at)).size();
    if (begin == 0 || begin == points.size()) return false;
    const auto* const script = ::uc_script(points[begin]);
    return script != arabic && script != hebrew && continues_at(points, begin);
}

bool ends_inside_word(std::string_view text, std::size_t at) {
    static const auto* const hangul = ::uc_script_byname("Hangul");
    const auto points = code_points_of(text);
    const auto end = code_points_of(text.substr(0, at)).size();
    if (end == 0 || end == points.size()) return false;
    const auto after = points[end];
    if (is_apostrophe(after) && is_in_word(points, end - 1)) {
        const auto is_in_word_at = [&](std::size_t next) {
            return next < points.size() && is_in_word(points, next);
        };
        return is_in_word_at(end + 1) && (points[end + 1] | 0x20U) == 't' &&
               !is_in_word_at(end + 2);
    }
    if (has_category(after, UC_CATEGORY_MASK_L) &&
        (is_ascii_digit(points[end - 1]) || ::uc_is_script(after, hangul)))
        return false;
    return continues_at(points, end);
}

}  // namespace reelsd::model
