#include "clean_text.hpp"

#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/result_document.hpp>

#include <unictype.h>

#include <algorithm>

namespace reelsd::model {

namespace {

constexpr bool is_control(char32_t value) noexcept {
    if (value == '\n' || value == '\t') return false;
    return value < 0x20 || (value >= 0x7F && value < 0xA0);
}

constexpr char32_t non_joiner = 0x200C;
constexpr char32_t joiner = 0x200D;

constexpr bool is_variation_selector(char32_t value) noexcept {
    return value >= 0xFE00 && value <= 0xFE0F;
}

/// Characters that can hide, reorder or smuggle text: marks of direction, zero-width characters,
/// fillers and tags, except those that emoji and spelling need.
bool is_invisible(char32_t value) noexcept {
    if (value < 0xAD || value == joiner || value == non_joiner || is_variation_selector(value))
        return false;
    const bool is_annotation = value >= 0xFFF9 && value <= 0xFFFB;
    return is_annotation || ::uc_is_property_default_ignorable_code_point(value);
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
        if (value == 0) value = ' ';  // Some models write it between words.
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

std::string visible_text(std::string_view text, std::size_t characters_max) {
    text_cleaner cleaner{characters_max};
    for (std::size_t at = 0; at < text.size();) {
        const auto read = code_point_at(text, at);
        at += read.bytes;
        if (!cleaner.add(read.value)) break;
    }
    return cleaner.text();
}

/// The bytes of `text` for one entry: at most result_bounds::item_characters_max characters, up to
/// a space if there is one in the second half.
std::size_t part_bytes(std::string_view text) {
    std::size_t bytes = 0;
    std::size_t after_blank = 0;
    for (std::size_t characters = 0; bytes < text.size(); ++characters) {
        if (characters == result_bounds::item_characters_max) {
            return after_blank > bytes / 2 ? after_blank : bytes;
        }
        bytes += code_point_at(text, bytes).bytes;
        if (text[bytes - 1] == ' ' || text[bytes - 1] == '\n') after_blank = bytes;
    }
    return bytes;
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t characters_max) {
    // An invisible character may be between a letter and its accent.
    const auto all = composed(visible_text(text, text.size()));
    return std::string{trimmed(visible_text(all, characters_max), whitespace)};
}

std::string clean_line(std::string_view text, std::size_t characters_max) {
    auto line = clean_text(text, characters_max);
    const auto is_break = [](char byte) { return byte == '\n' || byte == '\t'; };
    std::ranges::replace_if(line, is_break, ' ');
    return line;
}

void add_in_parts(std::vector<timed_text>& parts, const timed_text& entry) {
    const std::string_view text = entry.text;
    const auto seconds_a_byte = (entry.end_seconds - entry.start_seconds) /
                                static_cast<double>(std::max<std::size_t>(text.size(), 1));
    const auto time_at = [&](std::size_t byte) {
        if (byte == text.size()) return entry.end_seconds;
        return entry.start_seconds + seconds_a_byte * static_cast<double>(byte);
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto end = at + part_bytes(text.substr(at));
        auto part = clean_text(text.substr(at, end - at), result_bounds::item_characters_max);
        if (!part.empty()) parts.push_back({std::move(part), time_at(at), time_at(end)});
        at = end;
    }
}

}  // namespace reelsd::model
