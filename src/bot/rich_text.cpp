#include "rich_text.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::bot {
namespace {

/// Headings and long texts start a new message if less than this is free.
constexpr std::size_t room_min = 300;
constexpr std::string_view more_text = "\n… Press JSON for the complete text.";

std::string_view escape_of(char letter) noexcept {
    switch (letter) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '"': return "&quot;";
        default: return {};
    }
}

void append_escaped(std::string& html, std::string_view text) {
    for (const char letter : text) {
        const auto escape = escape_of(letter);
        if (escape.empty()) {
            html.push_back(letter);
        } else {
            html.append(escape);
        }
    }
}

bool continues_character(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// UTF-16 code units of the character that `byte` begins, or 0.
std::size_t utf16_units(char byte) noexcept {
    if (continues_character(byte)) return 0;
    return static_cast<unsigned char>(byte) >= 0xF0U ? 2 : 1;
}

/// Length that `byte` adds to the HTML, in UTF-16 code units.
std::size_t units_of(char byte) noexcept {
    const auto escape = escape_of(byte);
    return escape.empty() ? utf16_units(byte) : escape.size();
}

std::size_t escaped_units(std::string_view text) noexcept {
    std::size_t units = 0;
    for (const char byte : text) units += units_of(byte);
    return units;
}

std::pair<std::string, std::string_view> tags_of(const text_span& span) {
    switch (span.style) {
        case text_style::plain: return {"", ""};
        case text_style::bold: return {"<b>", "</b>"};
        case text_style::code: return {"<code>", "</code>"};
        case text_style::folded: return {"<blockquote expandable>", "</blockquote>"};
        case text_style::link: break;
    }
    std::string open = "<a href=\"";
    append_escaped(open, span.address);
    return {open.append("\">"), "</a>"};
}

std::size_t units_of_tags(const text_span& span) {
    const auto [open, close] = tags_of(span);
    return utf16_length(open) + close.size();
}

/// Size in bytes of the longest prefix of `text` that has at most `units`.
std::size_t prefix_within(std::string_view text, std::size_t units) noexcept {
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        used += units_of(text[at]);
        if (used > units) break;
        ++at;
        while (at < text.size() && continues_character(text[at])) ++at;
    }
    return at;
}

/// The best place to cut `text` within its first `bytes_max` bytes: in their second half, so that
/// no message is nearly empty.
std::size_t cut_within(std::string_view text, std::size_t bytes_max) {
    const auto window = text.substr(0, bytes_max);
    constexpr std::array<std::string_view, 6> ends{"\n\n", "\n", ". ", "! ", "? ", " "};
    for (const auto end : ends) {
        const auto at = window.rfind(end);
        if (at != std::string_view::npos && at + end.size() > bytes_max / 2) return at + end.size();
    }
    return bytes_max;
}

std::string_view without_leading_breaks(std::string_view text) {
    const auto first = text.find_first_not_of(" \n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

std::string_view without_trailing_breaks(std::string_view text) {
    const auto last = text.find_last_not_of(" \n");
    return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

bool is_heading(const text_span& span) {
    return span.style == text_style::bold && span.text.starts_with('\n');
}

/// Fills messages with spans.
class message_filler {
public:
    explicit message_filler(std::size_t units_max) : units_max_{units_max} {}

    void add(const text_span& span) {
        if (is_heading(span) && room() < std::min(room_min, units_max_ / 2)) finish();
        const auto tags = units_of_tags(span);
        std::string_view rest = span.text;
        while (!rest.empty()) {
            if (spans_.empty()) rest = without_leading_breaks(rest);
            if (escaped_units(rest) + tags <= room()) return keep(span, rest, tags);
            if (!spans_.empty() && room() < tags + std::min(room_min, units_max_ / 4)) {
                finish();
                continue;
            }
            // At least one character, even if an address is too long.
            const auto bytes_max = std::max<std::size_t>(
                prefix_within(rest, room() > tags ? room() - tags : 0), prefix_within(rest, 6));
            const auto cut = cut_within(rest, bytes_max);
            keep(span, without_trailing_breaks(rest.substr(0, cut)), tags);
            rest.remove_prefix(cut);
            finish();
        }
    }

    std::vector<rich_text> all() {
        finish();
        return std::move(finished_);
    }

private:
    [[nodiscard]] std::size_t room() const noexcept {
        return used_ < units_max_ ? units_max_ - used_ : 0;
    }

    void keep(const text_span& span, std::string_view text, std::size_t tags) {
        if (text.empty()) return;
        used_ += escaped_units(text) + tags;
        spans_.push_back({.style = span.style, .text = std::string{text}, .address = span.address});
    }

    void finish() {
        while (!spans_.empty()) {
            auto& last = spans_.back().text;
            last = std::string{without_trailing_breaks(last)};
            if (!last.empty()) break;
            spans_.pop_back();
        }
        if (!spans_.empty()) finished_.push_back(std::move(spans_));
        spans_.clear();
        used_ = 0;
    }

    std::size_t units_max_;
    std::size_t used_ = 0;
    rich_text spans_;
    std::vector<rich_text> finished_;
};

std::vector<rich_text> filled(const rich_text& text, std::size_t units_max) {
    message_filler filler{units_max};
    for (const auto& span : text) filler.add(span);
    return filler.all();
}

}  // namespace

text_span link(std::string text, std::string address) {
    const bool is_web = address.starts_with("https://") || address.starts_with("http://");
    const bool is_valid = address.size() <= 2048 && is_visible_ascii(address);
    if (!is_web || !is_valid) return plain(std::move(text));
    return {.style = text_style::link, .text = std::move(text), .address = std::move(address)};
}

std::size_t utf16_length(std::string_view text) noexcept {
    std::size_t units = 0;
    for (const char byte : text) units += utf16_units(byte);
    return units;
}

std::string to_html(const rich_text& text) {
    std::string html;
    for (const auto& span : text) {
        const auto [open, close] = tags_of(span);
        html.append(open);
        append_escaped(html, span.text);
        html.append(close);
    }
    return html;
}

std::vector<std::string> to_messages(
    const rich_text& text, std::size_t units_max, std::size_t parts_max) {
    auto parts = filled(text, units_max);
    if (parts.size() > parts_max) {
        parts.resize(parts_max);
        // Makes room for the note.
        parts.back() = filled(parts.back(), units_max - escaped_units(more_text)).front();
        parts.back().push_back(plain(std::string{more_text}));
    }
    if (parts.empty()) parts.push_back({plain("…")});
    std::vector<std::string> messages;
    messages.reserve(parts.size());
    for (const auto& part : parts) messages.push_back(to_html(part));
    return messages;
}

std::string without_tags(std::string_view html) {
    constexpr std::array<std::pair<std::string_view, char>, 4> escapes{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}}};
    std::string text;
    while (!html.empty()) {
        if (html.front() == '<') {
            html.remove_prefix(std::min(html.find('>'), html.size() - 1) + 1);
            continue;
        }
        const auto* const escape = std::ranges::find_if(
            escapes, [html](const auto& known) { return html.starts_with(known.first); });
        text.push_back(escape == escapes.end() ? html.front() : escape->second);
        html.remove_prefix(escape == escapes.end() ? 1 : escape->first.size());
    }
    return text;
}

}  // namespace reelsd::bot
