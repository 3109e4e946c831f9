#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Formatted text of messages, which is escaped when it is converted to HTML. Pure.
namespace reelsd::bot {

enum class text_style : std::uint8_t {
    plain,
    bold,
    code,
    link,    ///< To `address`.
    folded,  ///< Collapsed, until the user expands it.
};

struct text_span {
    text_style style = text_style::plain;
    std::string text;          ///< Unescaped, untrusted.
    std::string address = {};  ///< Target of a link.

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
/// Plain text if the address is not a valid http(s) address.
[[nodiscard]] text_span link(std::string text, std::string address);

/// The Bot API's limit of a text in UTF-16 code units. The API counts without tags and escapes,
/// this bot counts them as well.
inline constexpr std::size_t message_units_max = 4096;
/// Limit of the messages of one text.
inline constexpr std::size_t message_parts_max = 12;

/// Number of UTF-16 code units of UTF-8 text.
[[nodiscard]] std::size_t utf16_length(std::string_view text) noexcept;

/// Converts to the Bot API's HTML.
[[nodiscard]] std::string to_html(const rich_text& text);

/// Splits the text into 1 to `parts_max` messages of at most `units_max` code units, preferably
/// after paragraphs, lines, sentences or words. The last message says if the text is cut.
[[nodiscard]] std::vector<std::string> to_messages(
    const rich_text& text, std::size_t units_max = message_units_max,
    std::size_t parts_max = message_parts_max);

/// Converts HTML of to_html() to plain text, for servers without one of its tags.
[[nodiscard]] std::string without_tags(std::string_view html);

}  // namespace reelsd::bot
