#include "answer_parser.hpp"

#include "json_access.hpp"
#include "media_reader.hpp"
#include <reelsd/base/text.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace reelsd::platform {
namespace {

/// Bound on the documents of one streamed answer; two or three are usual.
constexpr std::size_t documents_max = 100;

/// Removes the prefix that prevents execution as a script.
std::string_view unguarded(std::string_view text) {
    constexpr std::string_view guard = "for (;;);";
    text = trimmed(text);
    if (text.starts_with(guard)) text.remove_prefix(guard.size());
    return trimmed(text);
}

/// The value at `path` (names and positions) below `root`; null if it is missing.
document* value_at_path(document& root, const document& path) {
    document* at = &root;
    for (const auto& step : path) {
        if (step.is_string() && at->is_object()) {
            const auto child = at->find(step.get_ref<const std::string&>());
            if (child == at->end()) return nullptr;
            at = &*child;
        } else if (step.is_number_unsigned() && at->is_array()) {
            const auto index = step.get<std::size_t>();
            if (index >= at->size()) return nullptr;
            at = &(*at)[index];
        } else {
            return nullptr;
        }
    }
    return at;
}

/// Adds the data of a later document to the first. Moves it: the library copies by recursion, and
/// the sender decides on the depth.
void merge(document& first, document later) {
    if (!later.is_object() || !later.contains("data")) return;
    const auto* path = member(later, {"path"});
    auto& data = later["data"];
    if (path == nullptr || !path->is_array() || !data.is_object()) return;
    if (!first.is_object() || !first.contains("data")) return;
    auto* const target = value_at_path(first["data"], *path);
    if (target == nullptr) return;
    if (target->is_null()) *target = document::object();
    if (!target->is_object()) return;
    for (auto& [name, value] : data.items()) (*target)[name] = std::move(value);
}

std::optional<document> document_of(std::string_view body) {
    const auto text = unguarded(body);
    if (auto whole = parse_block(text)) return whole;
    std::optional<document> first;
    std::size_t start = 0;
    for (std::size_t count = 0; start < text.size() && count < documents_max; ++count) {
        const auto end = std::min(text.find('\n', start), text.size());
        const auto line = unguarded(text.substr(start, end - start));
        start = end + 1;
        if (line.empty()) continue;
        auto parsed = parse_block(line);
        if (!first && !parsed) return std::nullopt;
        if (!first)
            first = std::move(parsed);
        else if (parsed)
            merge(*first, *std::move(parsed));
    }
    return first;
}

struct known_phrase {
    std::string_view text;
    answer_error meaning;
};

constexpr auto known_phrases = std::to_array<known_phrase>({
    {"Rate limit exceeded", answer_error::slow_down},
    {"rate_limit_error", answer_error::slow_down},
    {"sentry_block", answer_error::slow_down},
    {"Please wait a few minutes", answer_error::wait},
    {"login_required", answer_error::login_required},
    {"checkpoint_required", answer_error::challenge},
    {"challenge_required", answer_error::challenge},
    {"feedback_required", answer_error::challenge},
    {"geoblock_required", answer_error::restricted},
    {"This content may be inappropriate", answer_error::restricted},
    {"Restricted Video", answer_error::restricted},
    {"Not authorized to view user", answer_error::private_account},
    {"Media not found or unavailable", answer_error::not_found},
    {"has been deleted", answer_error::not_found},
    {"Invalid media_id", answer_error::not_found},
    {"Unauthorized logged out query", answer_error::outdated},
    {"useragent mismatch", answer_error::outdated},
    {"missing_required_variable_value", answer_error::outdated},
    {"field_exception", answer_error::field_exception},
    {"execution error", answer_error::execution_error},
});

/// The meaning of an error object. Searches all its texts, because the platform puts the same
/// phrases into different members.
answer_error meaning_of(const document& object) {
    constexpr std::int64_t rate_limit_code = 1675004;
    constexpr std::int64_t not_found_code = 4630001;
    const auto code = count_at(object, {"code"});
    if (code == rate_limit_code) return answer_error::slow_down;
    if (code == not_found_code) return answer_error::not_found;
    auto meaning = answer_error::none;
    for (const char* name : {"message", "error_type", "description", "summary", "title", "error"}) {
        const auto text = text_at(object, {name}).value_or("");
        for (const auto& phrase : known_phrases) {
            if (text.find(phrase.text) != std::string::npos)
                meaning = std::max(meaning, phrase.meaning);
        }
    }
    return meaning;
}

/// The most informative of several errors: enumerators are in that order.
answer_error platform_error_in(const document& answer) {
    auto worst = meaning_of(answer);
    for (const auto& entry : array_at(answer, {"errors"}))
        worst = std::max(worst, meaning_of(entry));
    return worst;
}

answer_error platform_error_without_json(std::string_view body) {
    return trimmed(body).starts_with('<') ? answer_error::html : answer_error::no_json;
}

constexpr const char* route_key = "canonicalRouteName";
constexpr const char* page_id_key = "pageID";

page_route route_of(std::string_view name) {
    if (contains(name, "ErrorRoute")) return page_route::not_found;
    if (contains(name, "Login")) return page_route::login;
    if (contains(name, "PostRoute")) return page_route::post;
    return page_route::unknown;
}

/// The route by the text outside data blocks, for pages whose blocks do not contain it. The
/// application's code may name other routes, so several different names are unknown.
page_route route_in_text(std::string_view html) {
    constexpr std::string_view opening = R"("canonicalRouteName":"comet.igweb.)";
    std::string_view only;
    while (true) {
        const auto at = html.find(opening);
        if (at == std::string_view::npos) return route_of(only);
        html.remove_prefix(at + opening.size());
        const auto name = html.substr(0, html.find('"'));
        if (!only.empty() && name != only) return page_route::unknown;
        only = name;
    }
}

/// Collects the data of all blocks. Of each block it parses only members with known names.
class page_reader {
public:
    explicit page_reader(const link& reel) : reel_{reel}, posts_{reel} {}

    void read(std::string_view block) {
        for (const char* name : {polaris_key, web_info_key}) {
            for (const auto value : values_of(block, name)) take_media(name, value);
        }
        for (const char* name : {route_key, page_id_key}) {
            for (const auto value : values_of(block, name)) take_route(name, value);
        }
    }

    /// For blocks without known names: the names of members change sometimes.
    void read_unnamed(const std::vector<std::string_view>& blocks) {
        const auto code = '"' + std::string{public_code(reel_.code)} + '"';
        for (const auto block : blocks) {
            if (!posts_.has_found_nothing()) return;
            if (!contains(block, code)) continue;
            if (const auto parsed = parse_block(block)) posts_.take_unnamed(*parsed);
        }
    }

    [[nodiscard]] parsed_answer result() && {
        auto answer = std::move(posts_).result();
        answer.route = route_;
        return answer;
    }

private:
    void take_media(const char* name, std::string_view text) {
        const auto value = parse_block(text);
        if (value) {
            posts_.take(name, *value);
            posts_.take_all(*value);
        } else if (contains(text, public_code(reel_.code))) {
            posts_.take_unreadable();
        }
    }

    void take_route(std::string_view name, std::string_view text) {
        if (route_ != page_route::unknown) return;
        const auto value = parse_block(text);
        if (!value || !value->is_string()) return;
        if (name == route_key) route_ = route_of(value->get_ref<const std::string&>());
        if (name == page_id_key && *value == "httpErrorPage") route_ = page_route::not_found;
    }

    const link& reel_;
    post_reader posts_;
    page_route route_ = page_route::unknown;
};

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

parsed_answer parse_query(std::string_view body, const link& reel) {
    const auto parsed = document_of(body);
    if (!parsed) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{reel};
    posts.take_all(*parsed);
    auto answer = std::move(posts).result();
    answer.platform_error = platform_error_in(*parsed);
    return answer;
}

parsed_answer parse_media_info(std::string_view body, const link& reel) {
    const auto parsed = document_of(body);
    if (!parsed) return {.platform_error = platform_error_without_json(body)};
    post_reader posts{reel};
    if (parsed->is_object() && parsed->contains("items"))
        posts.take(std::string{web_info_key}, *parsed);
    auto answer = std::move(posts).result();
    answer.platform_error = platform_error_in(*parsed);
    return answer;
}

answer_error platform_error_of(std::string_view body) {
    const auto parsed = document_of(body);
    return parsed ? platform_error_in(*parsed) : platform_error_without_json(body);
}

parsed_answer parse_answer(answer_kind kind, std::string_view body, const link& reel) {
    switch (kind) {
        case answer_kind::page: return parse_page(body, reel);
        case answer_kind::query: return parse_query(body, reel);
        case answer_kind::session: return parse_media_info(body, reel);
        case answer_kind::embed: break;
    }
    return parse_embed(body, reel);
}

parsed_answer parse_page(std::string_view html, const link& reel) {
    page_reader reader{reel};
    const auto blocks = data_blocks_of(html);
    for (const auto block : blocks.all) reader.read(block);
    reader.read_unnamed(blocks.all);
    auto page = std::move(reader).result();
    if (page.route == page_route::unknown) page.route = route_in_text(html);
    // Throttled clients get complete pages; a cut one may have had the post.
    if (blocks.is_cut && page.media == answer_media::absent) page.route = page_route::unknown;
    return page;
}

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
