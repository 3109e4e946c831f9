#include "embed_parser.hpp"

#include "data_blocks.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include "post_reader.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

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

namespace {

/// Places of one name that are looked at in a page; one is usual.
constexpr int matches_max = 20;

/// Calls `take` with the text behind each place of `name`; goes on behind as much as it returns.
void for_each_place(std::string_view html, std::string_view name, const auto& take) {
    for (int count = 0; count < matches_max; ++count) {
        const auto at = html.find(name);
        if (at == std::string_view::npos) return;
        html.remove_prefix(at + name.size());
        html.remove_prefix(take(html));
    }
}

/// The text that a JSON string literal stands for.
std::optional<std::string> unescaped(std::string_view literal) {
    const auto parsed = parse_block(literal);
    if (!parsed || !parsed->is_string()) return std::nullopt;
    return parsed->get<std::string>();
}

/// Returns how much of the text it has read.
std::size_t take_context(std::string_view text, post_reader& posts) {
    auto behind = behind_blanks(text);
    if (!behind.starts_with(':')) return 0;
    behind = behind_blanks(behind.substr(1));
    if (!behind.starts_with('"')) return 0;  // null: the page has elements alone.
    const auto literal = value_at(behind);
    const auto inside = unescaped(literal);
    const auto context = inside ? parse_block(*inside) : std::nullopt;
    if (context) posts.take_all(*context);
    return text.size() - behind.size() + literal.size();
}

/// Likewise.
std::size_t take_argument(std::string_view text, post_reader& posts) {
    const auto start = text.find_first_of("{)");
    if (start == std::string_view::npos || text[start] != '{') return 0;
    const auto value = value_at(text.substr(start));
    const auto argument = parse_block(value);
    if (argument) posts.take_all(*argument);
    return start + value.size();
}

/// The address in text that is escaped twice, as `\"video_url\":\"https:\\\/\\\/...\"`.
std::optional<std::string> url_in_text(std::string_view html, const link& wanted) {
    const std::string code =
        R"(\"shortcode\":\")" + std::string{public_code(wanted.code)} + R"(\")";
    if (html.find(code) == std::string_view::npos) return std::nullopt;
    constexpr std::string_view name = R"(\"video_url\":\")";
    const auto at = html.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    const auto from = html.substr(at + name.size());
    const auto once = unescaped("\"" + std::string{from.substr(0, from.find(R"(\")"))} + "\"");
    const auto twice = once ? unescaped("\"" + *once + "\"") : std::nullopt;
    return twice && is_http_url(*twice) ? twice : std::nullopt;
}

post post_with(const link& wanted, std::string url) {
    post subject;
    subject.code = public_code(wanted.code);
    subject.url = post_link(subject.code).canonical_url();
    subject.media = remote_media{.url = std::move(url)};
    return subject;
}

/// A page without any record.
parsed_embed parse_remains(std::string_view html, const link& wanted) {
    if (auto url = url_in_text(html, wanted))
        return {.media = answer_media::video, .subject = post_with(wanted, *std::move(url))};
    const auto element = embedded_element_of(html);
    if (element.media != answer_media::video) return {.media = element.media};
    auto subject = post_with(wanted, element.url);
    subject.author = element.author;
    return {.media = answer_media::video, .subject = std::move(subject)};
}

}  // namespace

parsed_embed parse_embed(std::string_view html, const link& wanted) {
    post_reader posts{wanted};
    for_each_place(
        html, "\"contextJSON\"", [&](auto behind) { return take_context(behind, posts); });
    for_each_place(
        html, "__additionalDataLoaded(", [&](auto behind) { return take_argument(behind, posts); });
    auto found = std::move(posts).result();
    if (found.media == answer_media::absent) return parse_remains(html, wanted);
    return {.media = found.media, .subject = std::move(found.subject)};
}

}  // namespace reelsd::platform
