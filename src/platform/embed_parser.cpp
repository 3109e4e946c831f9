#include "data_blocks.hpp"
#include "embedded_element.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include "post_reader.hpp"
#include <reelsd/platform/embed_parser.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace reelsd::platform {
namespace {

/// Places of one name that are looked at in a page; one is usual.
constexpr int places_max = 20;

/// The position behind the string literal that begins at `at`; past the end when it has none.
std::size_t behind_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            return at + 1;
        }
    }
    return text.size() + 1;
}

/// How far a character of JSON, outside of strings, leads down or up again.
int step_of(char c) {
    if (c == '{' || c == '[') return 1;
    return c == '}' || c == ']' ? -1 : 0;
}

/// The part of a JSON text up to the end of the value that it begins with: a string, or an object
/// or array. Empty when that does not end.
std::string_view value_at(std::string_view text) {
    std::ptrdiff_t depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        depth += step_of(text[at]);
        at = text[at] == '"' ? behind_string(text, at) : at + 1;
        if (depth <= 0) return at <= text.size() ? text.substr(0, at) : std::string_view{};
    }
    return {};
}

/// `text` without leading blanks.
std::string_view behind_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Calls `take` with the text behind each place of `name`.
void for_each_place(std::string_view html, std::string_view name, const auto& take) {
    for (int count = 0; count < places_max; ++count) {
        const auto at = html.find(name);
        if (at == std::string_view::npos) return;
        html.remove_prefix(at + name.size());
        take(html);
    }
}

/// The text that a JSON string literal stands for.
std::optional<std::string> unescaped(std::string_view literal) {
    const auto parsed = parse_block(literal);
    if (!parsed || !parsed->is_string()) return std::nullopt;
    return parsed->get<std::string>();
}

void take_context(std::string_view behind, post_reader& posts) {
    behind = behind_blanks(behind);
    if (!behind.starts_with(':')) return;
    behind = behind_blanks(behind.substr(1));
    if (!behind.starts_with('"')) return;  // null: the page has elements alone.
    const auto text = unescaped(value_at(behind));
    const auto context = text ? parse_block(*text) : std::nullopt;
    if (context) posts.take_all(*context);
}

void take_argument(std::string_view behind, post_reader& posts) {
    const auto start = behind.find_first_of("{)");
    if (start == std::string_view::npos || behind[start] != '{') return;
    const auto argument = parse_block(value_at(behind.substr(start)));
    if (argument) posts.take_all(*argument);
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
    for_each_place(html, "\"contextJSON\"", [&](auto behind) { take_context(behind, posts); });
    for_each_place(
        html, "__additionalDataLoaded(", [&](auto behind) { take_argument(behind, posts); });
    auto found = std::move(posts).result();
    if (found.media == answer_media::absent) return parse_remains(html, wanted);
    return {.media = found.media, .subject = std::move(found.subject)};
}

}  // namespace reelsd::platform
