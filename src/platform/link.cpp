#include <reelsd/base/bounds.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/algorithm/string/split.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace reelsd::platform {
namespace {

constexpr std::size_t code_length_min = 5;
constexpr std::size_t code_length_max = 48;
constexpr std::size_t user_length_max = 30;
/// The platform allows 20 slides.
constexpr int img_index_max = 100;

struct test_link {
    std::string_view code;
    errc failure;
};

constexpr std::string_view sample_code = "reelsd-sample";
constexpr auto failing_test_links = std::to_array<test_link>({
    {"reelsd-unavailable", errc::video_unavailable},
    {"reelsd-rate-limited", errc::platform_rate_limited},
    {"reelsd-unsupported", errc::unsupported_format},
    {"reelsd-too-long", errc::video_too_long},
    {"reelsd-model-failed", errc::model_refused},
    {"reelsd-storage-error", errc::storage_failed},
});

constexpr std::string_view code_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// Characters of the key that the code of a private post ends with.
constexpr std::size_t follower_key_length = 28;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

request_error no_link() {
    return {error_reason::url_invalid, "URL must be an instagram.com link"};
}

request_error other_host(std::string_view host) {
    return {
        error_reason::url_not_supported_host,
        "URL must be an instagram.com link, got \"" + std::string{host} + "\""};
}

request_error not_a_reel() {
    return {
        error_reason::url_not_a_reel,
        "URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>"};
}

bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), is_digit);
}

/// Counts inner whitespace: a link followed by words is not a link. C1 controls are C2 80 to C2
/// 9F.
bool has_control_or_blank(std::string_view text) {
    char before = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= 0x20 || byte == 0x7f) return true;
        if (before == '\xc2' && byte >= 0x80 && byte <= 0x9f) return true;
        before = c;
    }
    return false;
}

bool is_code(std::string_view text) {
    // Words in the position of a code on other pages: /reels/audio/<n>, /p/embed.
    constexpr std::array<std::string_view, 3> reserved{"audio", "embed", "reels"};
    return text.size() >= code_length_min && text.size() <= code_length_max &&
           std::all_of(
               text.begin(),
               text.end(),
               [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }) &&
           !is_one_of(text, reserved);
}

/// Whether a post's code follows.
bool is_post_word(std::string_view text) {
    constexpr std::array<std::string_view, 4> words{"reel", "p", "reels", "tv"};
    return is_one_of(text, words);
}

bool is_user(std::string_view text) {
    // First path segments of the platform's own pages.
    constexpr std::array<std::string_view, 24> reserved{
        "about",  "accounts",  "ads",    "api",     "archive", "challenge", "data",    "developer",
        "direct", "directory", "emails", "explore", "graphql", "legal",     "oauth",   "p",
        "press",  "privacy",   "reel",   "reels",   "share",   "static",    "stories", "tv"};
    return !text.empty() && text.size() <= user_length_max &&
           std::all_of(
               text.begin(),
               text.end(),
               [](char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }) &&
           std::any_of(
               text.begin(), text.end(), [](char c) { return is_alphanumeric(c) || c == '_'; }) &&
           !is_one_of(ascii_lower(text), reserved);
}

struct url_parts {
    std::string scheme;
    std::string_view authority;
    std::string_view path;
    std::string_view query;
};

/// Without a scheme for text that has no "://".
url_parts split(std::string_view url) {
    url_parts parts;
    const auto colon = url.find("://");
    if (colon == std::string_view::npos) return parts;
    parts.scheme = ascii_lower(url.substr(0, colon));
    auto rest = url.substr(colon + 3);
    rest = rest.substr(0, rest.find('#'));
    const auto question = rest.find('?');
    if (question != std::string_view::npos) {
        parts.query = rest.substr(question + 1);
        rest = rest.substr(0, question);
    }
    const auto slash = rest.find('/');
    parts.authority = rest.substr(0, slash);
    if (slash != std::string_view::npos) parts.path = rest.substr(slash);
    return parts;
}

/// Whether a message may name the host: a name, also with letters outside ASCII, or an IPv6
/// address. Browsers convert percent signs and backslashes.
bool is_host(std::string_view text) {
    if (text.starts_with('[')) {
        constexpr std::string_view address_characters = "0123456789abcdef:.";
        const auto end = text.find_first_not_of(address_characters, 1);
        return end != std::string_view::npos && end > 1 && text.substr(end) == "]";
    }
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80;
    });
}

/// The host in lower case. Refuses user info and ports other than the scheme's own.
input<std::string> host_of(const url_parts& parts) {
    constexpr std::array<std::string_view, 3> own{
        "instagram.com", "www.instagram.com", "m.instagram.com"};
    auto authority = parts.authority;
    const auto at = authority.rfind('@');
    const bool has_user = at != std::string_view::npos;
    if (has_user && contains(authority, "\\")) return no_link();
    if (has_user) authority.remove_prefix(at + 1);
    const auto colon = authority.find(':', authority.starts_with('[') ? authority.find(']') : 0);
    const auto host = ascii_lower(authority.substr(0, colon));
    const auto port =
        colon == std::string_view::npos ? std::string_view{} : authority.substr(colon + 1);
    if (!is_host(host)) return no_link();
    if (!is_one_of(host, own))
        return port.empty() || is_number(port) ? other_host(host) : no_link();
    if (has_user || (!port.empty() && port != (parts.scheme == "https" ? "443" : "80")))
        return no_link();
    return host;
}

/// "/a/b" and "/a/b/" alike; empty when a segment between slashes is empty.
std::vector<std::string_view> segments_of(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    if (path.ends_with('/')) path.remove_suffix(1);
    std::vector<std::string_view> segments;
    boost::split(segments, path, [](char c) { return c == '/'; });
    if (std::ranges::find(segments, "") != segments.end()) segments.clear();
    return segments;
}

using segments_view = std::vector<std::string_view>;

/// What may follow a code: an embed, or one comment of the post and a reply to it.
bool is_tail(const segments_view& segments, std::size_t from) {
    const auto count = segments.size() - from;
    if (count == 0) return true;
    if (segments[from] == "embed")
        return count == 1 || (count == 2 && segments[from + 1] == "captioned");
    if (segments[from] != "c" || count < 2 || !is_number(segments[from + 1])) return false;
    return count == 2 || (count == 4 && segments[from + 2] == "r" && is_number(segments[from + 3]));
}

std::optional<link> share_link(const segments_view& segments) {
    const bool has_word = segments.size() == 3 && (segments[1] == "reel" || segments[1] == "p");
    if (segments.size() != 2 && !has_word) return std::nullopt;
    const auto token = segments.back();
    if (!is_code(token)) return std::nullopt;
    link shared{.kind = link_kind::share, .code = std::string{token}, .path = "/"};
    for (const auto segment : segments) shared.path.append(segment).append("/");
    return shared;
}

std::optional<link> link_of(const segments_view& segments) {
    if (segments.size() >= 2 && segments[0] == "share") return share_link(segments);
    std::size_t word = 0;
    if (segments.size() >= 3 && !is_post_word(segments[0]) && is_user(segments[0])) word = 1;
    if (segments.size() < word + 2 || !is_post_word(segments[word])) return std::nullopt;
    const auto code = segments[word + 1];
    if (!is_code(code) || !is_tail(segments, word + 2)) return std::nullopt;
    return post_link(std::string{code});
}

std::optional<int> img_index_of(std::string_view query) {
    constexpr std::string_view key = "img_index=";
    std::vector<std::string_view> pairs;
    boost::split(pairs, query, [](char c) { return c == '&'; });
    for (const auto pair : pairs) {
        if (!pair.starts_with(key)) continue;
        const auto index = parse_number<int>(pair.substr(key.size()));
        return index && *index >= 1 && *index <= img_index_max ? index : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

bool link::is_test() const {
    return kind == link_kind::post && (code == sample_code || test_error());
}

std::optional<errc> link::test_error() const {
    for (const auto& test : failing_test_links) {
        if (kind == link_kind::post && code == test.code) return test.failure;
    }
    return std::nullopt;
}

std::string_view public_code(std::string_view code) noexcept {
    if (code.size() > follower_key_length) code.remove_suffix(follower_key_length);
    return code;
}

std::optional<std::string> media_id_of(std::string_view code) {
    __extension__ using wide = unsigned __int128;
    code = public_code(code);
    if (code.empty()) return std::nullopt;
    wide number = 0;
    for (const char c : code) {
        const auto digit = code_digits.find(c);
        if (digit == std::string_view::npos || number > (~wide{0} - digit) / code_digits.size())
            return std::nullopt;
        number = number * code_digits.size() + digit;
    }
    return fmt::to_string(number);
}

link post_link(std::string code) {
    auto path = "/reel/" + code + "/";
    return {.kind = link_kind::post, .code = std::move(code), .path = std::move(path)};
}

input<link> parse_link(std::string_view url) {
    const bool is_long = code_point_count(url) > bounds::url_characters_max;
    url = trimmed(url, " ");
    if (is_long || has_control_or_blank(url)) return no_link();

    const auto parts = split(url);
    if (parts.scheme != "http" && parts.scheme != "https") return no_link();
    const auto host = host_of(parts);
    if (!host) return host.error();

    auto parsed = link_of(segments_of(parts.path));
    if (!parsed) return not_a_reel();
    parsed->img_index = img_index_of(parts.query);
    return *std::move(parsed);
}

}  // namespace reelsd::platform
