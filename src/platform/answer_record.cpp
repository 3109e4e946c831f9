#include "answer_parser.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/platform/answer_record.hpp>

#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace reelsd::platform {
namespace {

/// Members whose text is the platform's own. All others are treated as personal, also unknown ones,
/// because responses of unknown format are the ones to record.
constexpr auto shape_keys = std::to_array<std::string_view>(
    {"__typename", "_type",  "acodec",       "audio_type", "canonicalRouteName", "codecs",
     "container",  "error",  "error_type",   "ext",        "format_id",          "media_type",
     "message",    "pageID", "product_type", "protocol",   "severity",           "status",
     "type",       "vcodec", "video_codec"});

/// The platform's own texts in members that otherwise contain personal texts.
constexpr auto shape_phrases = std::to_array<std::string_view>(
    {"Age-restricted",
     "Not available",
     "This content",
     "Restricted Video",
     "Media not found",
     "It's unavailable",
     "Rate limit",
     "Please wait"});

/// Members whose digits identify a person or a place.
constexpr auto id_keys = std::to_array<std::string_view>(
    {"pk",
     "id",
     "pk_id",
     "fbid",
     "user_id",
     "owner_id",
     "uploader_id",
     "page_id",
     "strong_id__",
     "actor_id",
     "audio_id",
     "lat",
     "lng"});

/// Words in the paths of the platform's URLs besides names and codes.
constexpr auto path_words = std::to_array<std::string_view>(
    {"reel",
     "reels",
     "p",
     "tv",
     "embed",
     "captioned",
     "accounts",
     "login",
     "share",
     "challenge",
     "graphql",
     "query",
     "api"});

/// Placeholder for the post's id while all other ids are masked.
constexpr std::string_view id_mark = "REELSDPOSTID";

/// Shorter numbers are times in seconds (10 digits) and counts.
constexpr std::size_t id_digits_min = 11;
/// Shorter words, and words with fewer digits, are the platform's own.
constexpr std::size_t token_length_min = 20;
constexpr std::ptrdiff_t token_digits_min = 4;

constexpr bool is_word_character(char c) {
    return is_alphanumeric(c) || c == '_' || c == '-';
}
constexpr bool is_hex(char c) {
    return hex_value(c).has_value();
}

void replace_all(std::string& text, std::string_view what, std::string_view replacement) {
    if (!what.empty()) boost::replace_all(text, what, replacement);
}

std::size_t run_of(std::string_view text, std::size_t from, char c) {
    const auto end = text.find_first_not_of(c, from);
    return (end == std::string_view::npos ? text.size() : end) - from;
}

/// Replaces letters with x and digits with 0, even in escapes. Each byte beyond ASCII becomes an x.
void mask(std::string& text, std::size_t from, std::size_t end) {
    while (from < end) {
        if (text[from] != '\\') {
            char& c = text[from++];
            if (is_digit(c)) c = '0';
            if (is_alpha(c) || static_cast<unsigned char>(c) >= 0x80U) c = 'x';
            continue;
        }
        from += run_of(text, from, '\\');
        const bool is_unicode = end - std::min(from, end) >= 5 && text[from] == 'u' &&
                                std::all_of(
                                    text.begin() + static_cast<std::ptrdiff_t>(from) + 1,
                                    text.begin() + static_cast<std::ptrdiff_t>(from) + 5,
                                    is_hex);
        if (is_unicode) text.replace(from + 1, 4, "0078");
        from += is_unicode ? 5 : 1;
    }
}

/// The end of a JSON string that began with a quote after `depth` backslashes: the next quote after
/// as many. Strings inside strings have more.
std::size_t end_of_string(std::string_view text, std::size_t from, std::size_t depth) {
    while (from < text.size()) {
        const auto slashes = run_of(text, from, '\\');
        from += slashes;
        if (from < text.size() && text[from] == '"' && slashes <= depth) return from - slashes;
        if (slashes == 0 || from < text.size()) ++from;
    }
    return text.size();
}

template <class Words>
bool is_among(const Words& words, std::string_view text) {
    return std::ranges::find(words, text) != words.end();
}

/// URLs and nested documents are masked separately.
bool is_shape(std::string_view key, std::string_view value) {
    if (is_among(shape_keys, key) || value == recorded_code) return true;
    if (value.starts_with("http") || value.starts_with('{') || value.starts_with('[') ||
        value.starts_with('<'))
        return true;
    return std::ranges::any_of(
        shape_phrases, [value](std::string_view phrase) { return value.starts_with(phrase); });
}

void mask_digits(std::string& text, std::size_t from, std::size_t end) {
    for (; from < end; ++from) {
        if (is_digit(text[from])) text[from] = '1';
    }
}

/// The end of a number that begins at `from`, or `from` when none does.
std::size_t end_of_number(std::string_view text, std::size_t from) {
    const auto end = text.find_first_not_of("0123456789.-+eE", from);
    return end == std::string_view::npos ? text.size() : end;
}

/// Masks the value after a key and its colon. Returns where to continue.
std::size_t mask_value(std::string& text, std::string_view key, std::size_t at, std::size_t depth) {
    const bool is_id = is_among(id_keys, key);
    const auto value = std::min(text.find_first_not_of(' ', at), text.size());
    const auto slashes = run_of(text, value, '\\');
    const auto quote = value + slashes;
    const bool is_text = slashes == depth && quote < text.size() && text[quote] == '"';
    if (!is_text) {
        const auto end = end_of_number(text, value);
        if (is_id) mask_digits(text, value, end);
        return std::max(at, end);
    }
    const auto end = end_of_string(text, quote + 1, depth);
    const auto content = std::string_view{text}.substr(quote + 1, end - quote - 1);
    if (is_shape(key, content)) return quote + 1;
    if (is_id)
        mask_digits(text, quote + 1, end);
    else
        mask(text, quote + 1, end);
    return end;
}

/// Masks the values of members, at any depth of JSON inside JSON.
void mask_members(std::string& text) {
    std::size_t at = 0;
    while ((at = text.find("\":", at)) != std::string::npos) {
        const auto key_end = at;
        std::size_t depth = 0;
        while (depth < key_end && text[key_end - 1 - depth] == '\\') ++depth;
        const auto last = key_end - depth;
        auto first = last;
        while (first > 0 && is_word_character(text[first - 1])) --first;
        const std::string key = text.substr(first, last - first);
        at = mask_value(text, key, key_end + 2, depth);
    }
}

/// Parsers read only these parameters of a URL. All others are signatures or personal.
std::string_view shown_parameter(std::string_view name) {
    if (name == "oe") return "6B000000";
    if (name == "efg") return "e30%3D";
    return "x";
}

bool ends_address(char c) {
    return c == '"' || c == '\'' || c == '<' || c == '>' || c == ')' || c <= ' ';
}

/// A media URL keeps its host, the shape of its path and the names of its parameters. `&` may be
/// escaped as &amp; or \u0026, and / as \/.
std::string redacted_query(std::string_view query) {
    std::string shown;
    std::size_t at = 0;
    while (at < query.size()) {
        const auto equals = std::min(query.find('=', at), query.size());
        const auto name = query.substr(at, equals - at);
        auto bare = name;
        for (const std::string_view sign : {"&amp;", "u0026", "&", "?"}) {
            const auto last = bare.rfind(sign);
            if (last != std::string_view::npos) bare.remove_prefix(last + sign.size());
        }
        shown.append(name);
        if (equals == query.size()) break;
        shown.append("=").append(shown_parameter(bare));
        auto next = equals;
        while (next < query.size() && query[next] != '&' && query[next] != '\\') ++next;
        at = next;
    }
    return shown;
}

bool is_platform_host(std::string_view host) {
    return host.ends_with("instagram.com") || host.ends_with("fbcdn.net") ||
           std::ranges::none_of(host, is_alpha);
}

/// Masks the hosts of other sites, and the words of a path that identify a page or file. A file's
/// extension and the platform's own words stay.
void mask_path(std::string& address, std::size_t end) {
    constexpr std::size_t shape_length_max = 3;  // "o1", "v", "t2", "mp4"
    auto at = std::min(address.find(':') + 1, end);
    while (at < end && (address[at] == '/' || address[at] == '\\')) ++at;
    const auto host_end = std::min(address.find_first_of("/\\", at), end);
    if (!is_platform_host(std::string_view{address}.substr(at, host_end - at)))
        mask(address, at, host_end);
    at = host_end;
    while (at < end) {
        auto word_end = at;
        while (word_end < end && is_word_character(address[word_end])) ++word_end;
        const auto word = std::string_view{address}.substr(at, word_end - at);
        const bool is_shape_word = word.size() <= shape_length_max || is_among(path_words, word) ||
                                   word.find(recorded_code) != std::string_view::npos;
        if (!is_shape_word) mask(address, at, word_end);
        at = std::max(word_end, at + 1);
    }
}

void redact_addresses(std::string& text) {
    std::string redacted;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find("http", from)) != std::string::npos;) {
        auto end = at;
        while (end < text.size() && !ends_address(text[end])) ++end;
        // A string inside a string ends after a backslash.
        while (end > at && text[end - 1] == '\\') --end;
        auto address = text.substr(at, end - at);
        const bool is_url = address.starts_with("http:") || address.starts_with("https:");
        redacted.append(text, from, at - from);
        from = end;
        if (is_url) {
            const auto query = address.find('?');
            mask_path(address, std::min(query, address.size()));
            if (query != std::string::npos)
                address = address.substr(0, query) + redacted_query(address.substr(query));
        }
        redacted += address;
    }
    text = redacted.append(text, from);
}

/// Masks ids and tokens, whatever their key.
void mask_words(std::string& text) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (!is_word_character(text[at])) {
            ++at;
            continue;
        }
        auto end = at;
        while (end < text.size() && is_word_character(text[end])) ++end;
        const std::string_view word{text.data() + at, end - at};
        const auto digits = std::ranges::count_if(word, is_digit);
        const bool has_letters = std::ranges::any_of(word, is_alpha);
        const bool is_id = !has_letters && word.size() >= id_digits_min;
        const bool is_token =
            has_letters && word.size() >= token_length_min && digits >= token_digits_min;
        if ((is_id || is_token) && word.find(recorded_code) == std::string_view::npos)
            std::fill(
                text.begin() + static_cast<std::ptrdiff_t>(at),
                text.begin() + static_cast<std::ptrdiff_t>(end),
                is_id ? '1' : 'x');
        at = end;
    }
}

/// The end of a script or style element at `from`; `from` for any other element.
std::size_t end_of_code(std::string_view text, std::size_t from) {
    for (const std::string_view name : {"script", "style"}) {
        if (text.substr(from + 1, name.size()) != name) continue;
        const auto end = text.find("</" + std::string{name}, from);
        return end == std::string_view::npos ? text.size() : end;
    }
    return from;
}

/// Masks attributes with names and profiles. Media URLs are masked already.
void mask_attributes(std::string& text, std::size_t from, std::size_t tag_end) {
    for (const std::string_view name :
         {" content=\"", " href=\"/", " alt=\"", " title=\"", " aria-label=\""}) {
        for (auto at = from; (at = text.find(name, at)) < tag_end;) {
            at += name.size();
            mask(text, at, std::min(text.find('"', at), tag_end));
        }
    }
}

/// Masks the text between the tags of a page and in their attributes.
void mask_page_text(std::string& text) {
    if (text.find("<html") == std::string::npos && text.find("<!DOCTYPE") == std::string::npos)
        return;
    std::size_t at = 0;
    while ((at = text.find('<', at)) != std::string::npos) {
        const auto code_end = end_of_code(text, at);
        if (code_end != at) {
            at = code_end;
            if (at < text.size()) ++at;
            continue;
        }
        const auto tag_end = std::min(text.find('>', at), text.size());
        mask_attributes(text, at, tag_end);
        const auto next = std::min(text.find('<', tag_end), text.size());
        if (tag_end < next) mask(text, tag_end + 1, next);
        at = next;
    }
}

json findings_of(const parsed_answer& answer) {
    json findings = {{"media", name_of(answer.media)}, {"page_error", answer.page_error}};
    const auto& subject = answer.subject;
    if (!subject) return findings;
    findings["platform_meta"] = platform_meta_of(*subject);
    const auto& file = std::get<remote_media>(subject->media);
    findings["media_url"] = file.url;
    if (!file.sound_url.empty()) findings["sound_url"] = file.sound_url;
    if (subject->carousel)
        findings["carousel"] = {
            {"index", subject->carousel->index}, {"count", subject->carousel->count}};
    return findings;
}

}  // namespace

std::string redact_answer(std::string_view body, const link& about) {
    std::string text{body};
    const auto id = media_id_of(about.code);
    // The follower's key of a long code grants access like a password.
    replace_all(text, about.code, recorded_code);
    replace_all(text, public_code(about.code), recorded_code);
    if (id) replace_all(text, *id, id_mark);
    redact_addresses(text);
    mask_members(text);
    mask_page_text(text);
    mask_words(text);
    replace_all(text, id_mark, media_id_of(recorded_code).value_or(""));
    return text;
}

std::string describe(const answer_signals& signals) {
    std::string text;
    const auto add = [&text](std::string_view what, std::string_view name) {
        if (!text.empty()) text += ", ";
        text.append(what).append(" ").append(name);
    };
    if (signals.redirect != answer_redirect::none) add("redirect", name_of(signals.redirect));
    if (signals.kind == answer_kind::page) add("route", name_of(signals.route));
    add("media", name_of(signals.media));
    if (signals.platform_error != answer_error::none)
        add("platform error", name_of(signals.platform_error));
    if (signals.is_follower_link) text += ", a follower's link";
    return text;
}

json answer_findings(answer_kind kind, std::string_view body, const link& reel) {
    const auto answer = parse_answer(kind, body, reel);
    auto findings = findings_of(answer);
    if (kind == answer_kind::query || kind == answer_kind::session)
        findings["platform_error"] = name_of(answer.platform_error);
    if (kind != answer_kind::page) return findings;
    json page_findings{{"route", name_of(answer.route)}};
    page_findings.update(findings);
    return page_findings;
}

json yt_dlp_findings(std::string_view output, const link& reel) {
    return findings_of(parse_yt_dlp(output, reel));
}

}  // namespace reelsd::platform
