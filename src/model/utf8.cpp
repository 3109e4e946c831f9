#include "utf8.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::model {

namespace {

constexpr bool is_control(char32_t value) noexcept {
    if (value == '\n' || value == '\t') return false;
    return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

struct code_range {
    char32_t first;
    char32_t last;
};

// Not seen, but able to hide, turn round or smuggle text: marks of direction, zero-width
// characters, fillers, tags and the variation selectors that no emoji uses. Source: Unicode 15,
// Default_Ignorable_Code_Point, less what belongs to emoji.
constexpr auto invisible_ranges = std::to_array<code_range>({
    {0xAD, 0xAD},
    {0x34F, 0x34F},
    {0x61C, 0x61C},
    {0x115F, 0x1160},
    {0x17B4, 0x17B5},
    {0x180B, 0x180F},
    {0x200B, 0x200B},
    {0x200E, 0x200F},
    {0x202A, 0x202E},
    {0x2060, 0x206F},
    {0x3164, 0x3164},
    {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},
    {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
});

constexpr bool is_invisible(char32_t value) noexcept {
    if (value < 0xAD) return false;
    const auto* const range = std::lower_bound(
        invisible_ranges.begin(),
        invisible_ranges.end(),
        value,
        [](const code_range& left, char32_t right) { return left.last < right; });
    return range != invisible_ranges.end() && range->first <= value;
}

constexpr char32_t non_joiner = 0x200C;
constexpr char32_t joiner = 0x200D;

constexpr bool is_variation_selector(char32_t value) noexcept {
    return value >= 0xFE00 && value <= 0xFE0F;
}

/// Arrows to miscellaneous symbols, and the planes of pictographs; a selector stands for the sign
/// before it.
constexpr bool is_pictograph(char32_t value) noexcept {
    return (value >= 0x2190 && value <= 0x2BFF) || (value >= 0x1F000 && value <= 0x1FAFF) ||
           value == 0xFE0F;
}

/// Arabic to Sinhala: there a joiner is spelling.
constexpr bool has_joiners(char32_t value) noexcept {
    return value >= 0x600 && value < 0xE00;
}

constexpr bool may_join(char32_t before, char32_t sign, char32_t after) noexcept {
    if (has_joiners(before) && has_joiners(after)) return true;
    return sign == joiner && is_pictograph(before) && is_pictograph(after);
}

/// Takes code points in order and keeps what can be seen.
class text_cleaner {
public:
    explicit text_cleaner(std::size_t characters_max) : characters_left_{characters_max} {}

    /// False when no more fits.
    bool add(char32_t value) {
        if (is_control(value) || is_invisible(value)) return true;
        if (value == joiner || value == non_joiner) {
            sign_ = value;  // Kept if what follows joins to what was kept last.
            return true;
        }
        // One may follow a sign; a row of them could carry any bytes.
        if (is_variation_selector(value) && (last_ == 0 || is_variation_selector(last_)))
            return true;

        const bool joins = sign_ != 0 && may_join(last_, sign_, value);
        const std::size_t needed = joins ? 2 : 1;
        if (characters_left_ < needed) return false;
        characters_left_ -= needed;
        if (joins) append_code_point(text_, sign_);
        append_code_point(text_, value);
        sign_ = 0;
        last_ = value;
        return true;
    }

    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    std::string finish() { return std::move(text_); }

private:
    std::string text_;
    std::size_t characters_left_;
    char32_t last_ = 0;
    char32_t sign_ = 0;  ///< A joiner that waits for what follows it.
};

}  // namespace

std::string clean_text(std::string_view text, std::size_t characters_max) {
    text_cleaner cleaner{characters_max};
    // Of a text that is to be cut, only the part that can stay.
    cleaner.reserve(std::min(text.size(), characters_max));
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        if (!cleaner.add(read.value)) break;
    }
    return std::string{trimmed(cleaner.finish(), blanks)};
}

}  // namespace reelsd::model
