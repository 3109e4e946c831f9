#include "embed_parser.hpp"

#include "data_blocks.hpp"
#include "embedded_element.hpp"
#include "json_access.hpp"
#include "media_reader.hpp"
#include "post_reader.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace reelsd::platform {
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
