#include "embedded_element.hpp"

#include "media_reader.hpp"

namespace reelsd::platform {
namespace {

/// Longer ones are none of the platform's, and looking for their ends would take its time.
constexpr std::size_t tag_bytes_max = 8192;
/// Places that are looked at in a page; a style sheet and the element itself are usual.
constexpr int tags_max = 20;

/// The inside of the first tag, without its brackets, in which `part` stands; empty if there is
/// none. `end` is set behind it.
std::string_view tag_with(std::string_view html, std::string_view part, std::size_t& end) {
    auto at = html.find(part);
    for (int count = 0; count < tags_max && at != std::string_view::npos;
         ++count, at = html.find(part, at + part.size())) {
        const auto earliest = at > tag_bytes_max ? at - tag_bytes_max : 0;
        const auto before = html.substr(earliest, at - earliest);
        const auto open = before.find_last_of("<>");
        const auto length = html.substr(at, tag_bytes_max).find('>');
        if (open == std::string_view::npos || before[open] == '>' ||
            length == std::string_view::npos)
            continue;
        const auto start = earliest + open + 1;
        end = at + length + 1;
        return html.substr(start, at + length - start);
    }
    return {};
}

/// The value of an attribute in double quotes, without its escapes.
std::string attribute_of(std::string_view tag, std::string_view name) {
    const std::string opening = " " + std::string{name} + "=\"";
    const auto at = tag.find(opening);
    if (at == std::string_view::npos) return {};
    tag.remove_prefix(at + opening.size());
    std::string value{tag.substr(0, tag.find('"'))};
    constexpr std::string_view ampersand = "&amp;";
    for (auto from = value.find(ampersand); from != std::string::npos;
         from = value.find(ampersand, from + 1))
        value.replace(from, ampersand.size(), "&");
    return value;
}

std::string author_in(std::string_view html) {
    std::size_t end = 0;
    if (tag_with(html, "UsernameText", end).empty()) return {};
    const auto text = html.substr(end, html.find('<', end) - end);
    constexpr std::size_t name_characters_max = 30;
    constexpr std::string_view allowed =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._";
    const bool is_name = !text.empty() && text.size() <= name_characters_max &&
                         text.find_first_not_of(allowed) == std::string_view::npos;
    return is_name ? std::string{text} : std::string{};
}

}  // namespace

embedded_element embedded_element_of(std::string_view html) {
    std::size_t end = 0;
    auto url = attribute_of(tag_with(html, "\"EmbeddedMediaVideo\"", end), "src");
    if (is_http_url(url))
        return {.media = answer_media::video, .url = std::move(url), .author = author_in(html)};
    const bool shows_photo = !tag_with(html, "data-media-type=\"GraphImage\"", end).empty() &&
                             !tag_with(html, "\"EmbeddedMediaImage\"", end).empty();
    if (shows_photo) return {.media = answer_media::photo};
    const bool shows_video = !tag_with(html, "data-media-type=\"GraphVideo\"", end).empty();
    return {.media = shows_video ? answer_media::video_without_url : answer_media::absent};
}

}  // namespace reelsd::platform
