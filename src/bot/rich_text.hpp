#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What is said in chats: text with a little shape, escaped when it is written out and at no other
/// place. All pure.
namespace reelsd::bot {

enum class text_style : std::uint8_t {
    plain,
    bold,
    code,
    link,    ///< To `address`.
    folded,  ///< Shown in part, until somebody unfolds it.
};

struct text_span {
    text_style style = text_style::plain;
    std::string text;          ///< As people read it: any text of anybody's.
    std::string address = {};  ///< Of a link.

    friend bool operator==(const text_span&, const text_span&) = default;
};

using rich_text = std::vector<text_span>;

[[nodiscard]] inline text_span plain(std::string text) {
    return {.style = text_style::plain, .text = std::move(text)};
}
[[nodiscard]] inline text_span bold(std::string text) {
    return {.style = text_style::bold, .text = std::move(text)};
}
[[nodiscard]] inline text_span code(std::string text) {
    return {.style = text_style::code, .text = std::move(text)};
}
[[nodiscard]] inline text_span folded(std::string text) {
    return {.style = text_style::folded, .text = std::move(text)};
}
/// Plain where the address is none that a chat opens.
[[nodiscard]] text_span link(std::string text, std::string address);

/// The Bot API's limit of a text, in code units of UTF-16. It counts after entities are parsed; we
/// count tags and escapes as well, so that the limit holds whoever counts.
inline constexpr std::size_t message_units_max = 4096;
/// Of one text: more would be a flood; the rest is in the file.
inline constexpr std::size_t message_parts_max = 12;

/// Code units of UTF-16 that UTF-8 text has; bytes that are no UTF-8 count one each.
[[nodiscard]] std::size_t utf16_length(std::string_view text) noexcept;

/// As the Bot API's HTML: tags of ours, and everybody's text escaped.
[[nodiscard]] std::string to_html(const rich_text& text);

/// The text as messages of at most `units_max` each, cut where a paragraph, a line, a sentence or
/// a word ends if one does, and never within a character, a tag or an escape. At most `parts_max`,
/// the last of which then says that there is more. At least one.
[[nodiscard]] std::vector<std::string> to_messages(
    const rich_text& text, std::size_t units_max = message_units_max,
    std::size_t parts_max = message_parts_max);

/// HTML of ours as plain text: for a server that does not know one of its tags.
[[nodiscard]] std::string without_tags(std::string_view html);

}  // namespace reelsd::bot
