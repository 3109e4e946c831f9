#include "clean_text.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>

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

// Invisible characters that can hide, reorder or smuggle text: marks of direction, zero-width
// characters, fillers, tags and the variation selectors that no emoji uses. Source: Unicode 15,
// Default_Ignorable_Code_Point, without those of emoji.
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
    const auto* const range =
        std::ranges::lower_bound(invisible_ranges, value, {}, &code_range::last);
    return range != invisible_ranges.end() && range->first <= value;
}

constexpr char32_t non_joiner = 0x200C;
constexpr char32_t joiner = 0x200D;

constexpr bool is_variation_selector(char32_t value) noexcept {
    return value >= 0xFE00 && value <= 0xFE0F;
}

/// Arrows to miscellaneous symbols, and the planes of pictographs. A variation selector counts as
/// the pictograph before it.
constexpr bool is_pictograph(char32_t value) noexcept {
    return (value >= 0x2190 && value <= 0x2BFF) || (value >= 0x1F000 && value <= 0x1FAFF) ||
           value == 0xFE0F;
}

/// Arabic to Sinhala, where a joiner is spelling.
constexpr bool has_joiners(char32_t value) noexcept {
    return value >= 0x600 && value < 0xE00;
}

constexpr bool may_join(char32_t before, char32_t between, char32_t after) noexcept {
    if (has_joiners(before) && has_joiners(after)) return true;
    return between == joiner && is_pictograph(before) && is_pictograph(after);
}

/// Collects the visible code points of a text.
class text_cleaner {
public:
    explicit text_cleaner(std::size_t characters_max) : characters_left_{characters_max} {}

    /// False when no more fit.
    bool add(char32_t value) {
        if (is_control(value) || is_invisible(value)) return true;
        if (value == joiner || value == non_joiner) {
            joiner_ = value;  // Added with the next character if it joins that to the last one.
            return true;
        }
        // One may follow a character; a sequence of them could encode any bytes.
        if (is_variation_selector(value) && (last_ == 0 || is_variation_selector(last_)))
            return true;

        const bool joins = joiner_ != 0 && may_join(last_, joiner_, value);
        const std::size_t needed = joins ? 2 : 1;
        if (characters_left_ < needed) return false;
        characters_left_ -= needed;
        if (joins) append_code_point(text_, joiner_);
        append_code_point(text_, value);
        joiner_ = 0;
        last_ = value;
        return true;
    }

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    std::size_t characters_left_;
    char32_t last_ = 0;
    char32_t joiner_ = 0;  ///< Seen, and not added yet.
};

}  // namespace

std::string clean_text(std::string_view text, std::size_t characters_max) {
    text_cleaner cleaner{characters_max};
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        if (!cleaner.add(read.value)) break;
    }
    return std::string{trimmed(cleaner.text(), whitespace)};
}

}  // namespace reelsd::model
