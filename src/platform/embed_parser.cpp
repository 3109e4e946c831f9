#include "answer_parser.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include "post_reader.hpp"

#include <boost/algorithm/string/replace.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace reelsd::platform {
namespace {

/// Bound on the search for a tag's ends. The platform's tags are shorter.
constexpr std::size_t tag_bytes_max = 8192;
/// Bound on the occurrences that are examined; a style sheet and the element itself are usual.
constexpr int tags_max = 20;

/// The first tag that contains `part`, without its brackets; empty if no tag does. Sets `end` to
/// the position after it.
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
    boost::replace_all(value, "&amp;", "&");
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

post post_with(const link& reel, std::string url) {
    auto subject = new_post(reel);
    subject.media = remote_media{.url = std::move(url)};
    return subject;
}

/// Reads the elements `<video class="EmbeddedMediaVideo" src="...">` and `class="UsernameText"`,
/// and the attribute `data-media-type="GraphVideo"`.
parsed_answer parse_elements(std::string_view html, const link& reel) {
    std::size_t end = 0;
    auto url = attribute_of(tag_with(html, "\"EmbeddedMediaVideo\"", end), "src");
    if (is_http_url(url)) {
        auto subject = post_with(reel, std::move(url));
        subject.author = author_in(html);
        return {.media = answer_media::video, .subject = std::move(subject)};
    }
    const bool shows_photo = !tag_with(html, "data-media-type=\"GraphImage\"", end).empty() &&
                             !tag_with(html, "\"EmbeddedMediaImage\"", end).empty();
    if (shows_photo) return {.media = answer_media::photo};
    const bool shows_video = !tag_with(html, "data-media-type=\"GraphVideo\"", end).empty();
    return {.media = shows_video ? answer_media::video_without_url : answer_media::absent};
}

/// Bound on the occurrences of one name that are examined; one is usual.
constexpr int matches_max = 20;

/// Calls `take` with the text after each occurrence of `name`. It returns how much it has read.
void for_each_occurrence(std::string_view html, std::string_view name, const auto& take) {
    for (int count = 0; count < matches_max; ++count) {
        const auto at = html.find(name);
        if (at == std::string_view::npos) return;
        html.remove_prefix(at + name.size());
        html.remove_prefix(take(html));
    }
}

/// The value of a JSON string literal.
std::optional<std::string> unescaped(std::string_view literal) {
    const auto parsed = parse_block(literal);
    if (!parsed || !parsed->is_string()) return std::nullopt;
    return parsed->get<std::string>();
}

/// Returns how much of the text it has read.
std::size_t take_context(std::string_view text, post_reader& posts) {
    auto rest = without_leading_blanks(text);
    if (!rest.starts_with(':')) return 0;
    rest = without_leading_blanks(rest.substr(1));
    if (!rest.starts_with('"')) return 0;  // null: the page has only elements.
    const auto literal = value_at(rest);
    const auto inside = unescaped(literal);
    const auto context = inside ? parse_block(*inside) : std::nullopt;
    if (context) posts.take_all(*context);
    return text.size() - rest.size() + literal.size();
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
std::optional<std::string> url_in_text(std::string_view html, const link& reel) {
    const std::string code = R"(\"shortcode\":\")" + std::string{public_code(reel.code)} + R"(\")";
    if (html.find(code) == std::string_view::npos) return std::nullopt;
    constexpr std::string_view name = R"(\"video_url\":\")";
    const auto at = html.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    const auto from = html.substr(at + name.size());
    const auto once = unescaped("\"" + std::string{from.substr(0, from.find(R"(\")"))} + "\"");
    const auto twice = once ? unescaped("\"" + *once + "\"") : std::nullopt;
    return twice && is_http_url(*twice) ? twice : std::nullopt;
}

}  // namespace

parsed_answer parse_embed(std::string_view html, const link& reel) {
    post_reader posts{reel};
    for_each_occurrence(
        html, "\"contextJSON\"", [&](auto rest) { return take_context(rest, posts); });
    for_each_occurrence(
        html, "__additionalDataLoaded(", [&](auto rest) { return take_argument(rest, posts); });
    if (!posts.has_found_nothing()) return std::move(posts).result();
    if (auto url = url_in_text(html, reel))
        return {.media = answer_media::video, .subject = post_with(reel, *std::move(url))};
    return parse_elements(html, reel);
}

}  // namespace reelsd::platform
