#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/address_guard.hpp>
#include <reelsd/platform/session.hpp>

#include <algorithm>
#include <array>

namespace reelsd::platform {
namespace {

constexpr std::string_view platform_domain = "instagram.com";
constexpr std::string_view decisive_cookie = "sessionid";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
/// More than a browser keeps for one site.
constexpr std::size_t cookies_max = 200;

/// A cookie and where it may go.
struct listed_cookie {
    session_cookie cookie;
    std::string domain;  ///< Empty: the platform's.
};

std::string fingerprint_of(std::string_view text) {
    file_digest digest;
    digest.add(text);
    return digest.hex();
}

/// Whether the text can be sent in a Cookie header without becoming something else.
bool is_sendable(std::string_view text) {
    return std::all_of(
        text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != ';'; });
}

bool is_name(std::string_view text) {
    return !text.empty() && is_sendable(text) && text.find('=') == std::string_view::npos;
}

/// Seconds, with a fraction in some exports; 0 for a cookie without an end.
std::optional<std::int64_t> expiry_in(std::string_view text) {
    if (text.empty()) return 0;
    const auto seconds = parse_number<std::int64_t>(text.substr(0, text.find('.')));
    if (!seconds || *seconds < 0) return std::nullopt;
    return seconds;
}

/// "domain TAB subdomains TAB path TAB secure TAB expiry TAB name TAB value".
std::optional<listed_cookie> read_netscape_line(std::string_view line) {
    constexpr std::string_view http_only = "#HttpOnly_";
    if (line.starts_with(http_only)) line.remove_prefix(http_only.size());
    if (line.starts_with('#')) return std::nullopt;
    constexpr std::size_t field_count = 7;
    std::array<std::string_view, field_count> fields;
    for (std::size_t at = 0; at < field_count; ++at) {
        const auto end = line.find('\t');
        const bool is_last = at + 1 == field_count;
        if (is_last != (end == std::string_view::npos)) return std::nullopt;
        fields[at] = line.substr(0, end);
        if (!is_last) line.remove_prefix(end + 1);
    }
    const auto expires_at = expiry_in(fields[4]);
    if (!expires_at || fields[0].empty()) return std::nullopt;
    return listed_cookie{
        {std::string{fields[5]}, std::string{fields[6]}, *expires_at}, std::string{fields[0]}};
}

std::vector<listed_cookie> read_netscape(std::string_view text) {
    std::vector<listed_cookie> found;
    for (std::size_t start = 0; start < text.size();) {
        const auto end = std::min(text.find('\n', start), text.size());
        auto line = text.substr(start, end - start);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (auto cookie = read_netscape_line(line)) found.push_back(*std::move(cookie));
        start = end + 1;
    }
    return found;
}

std::string text_of(const json& object, const char* name) {
    const auto member = object.find(name);
    return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

/// Exports of browser extensions: "expirationDate" or "expires", in seconds.
std::vector<listed_cookie> read_json(std::string_view text) {
    constexpr double expiry_max = 1e15;
    std::vector<listed_cookie> found;
    const auto listed = parse_foreign_json(text);
    if (!listed.is_array()) return found;
    for (const auto& entry : listed) {
        if (!entry.is_object()) continue;
        listed_cookie cookie{
            {text_of(entry, "name"), text_of(entry, "value")}, text_of(entry, "domain")};
        for (const char* name : {"expirationDate", "expires"}) {
            const auto member = entry.find(name);
            if (member == entry.end() || !member->is_number()) continue;
            const auto seconds = member->get<double>();
            if (seconds > 0 && seconds < expiry_max)
                cookie.cookie.expires_at = static_cast<std::int64_t>(seconds);
        }
        found.push_back(std::move(cookie));
    }
    return found;
}

/// "a=b; c=d", perhaps behind "Cookie:".
std::vector<listed_cookie> read_header(std::string_view text) {
    constexpr std::string_view field_name = "cookie:";
    if (equals_ignoring_case(text.substr(0, field_name.size()), field_name))
        text.remove_prefix(field_name.size());
    std::vector<listed_cookie> found;
    for (std::size_t start = 0; start < text.size();) {
        const auto end = std::min(text.find(';', start), text.size());
        const auto pair = trimmed(text.substr(start, end - start));
        const auto sign = pair.find('=');
        if (sign != std::string_view::npos)
            found.push_back(
                {{std::string{pair.substr(0, sign)}, std::string{pair.substr(sign + 1)}}, {}});
        start = end + 1;
    }
    return found;
}

/// All cookies of a text, in whichever of the four forms it is.
std::vector<listed_cookie> read_any(std::string_view text) {
    const auto whole = trimmed(text);
    if (whole.starts_with('[')) return read_json(whole);
    const bool is_line = whole.find_first_of("\t\r\n") == std::string_view::npos;
    if (!is_line || whole.starts_with('#')) return read_netscape(text);
    if (whole.find('=') != std::string_view::npos) return read_header(whole);
    // The value of a sessionid begins with the user's number.
    if (!whole.empty() && is_digit(whole.front()) && contains(whole, "%3A"))
        return {{{std::string{decisive_cookie}, std::string{whole}}, {}}};
    return {};
}

/// Whether a browser would send a cookie of this domain to the platform.
bool is_for_platform(std::string_view domain, std::string_view host) {
    if (domain.empty()) return true;
    if (domain.starts_with('.')) domain.remove_prefix(1);
    return equals_ignoring_case(domain, platform_domain) ||
           equals_ignoring_case(domain, "www.instagram.com") || equals_ignoring_case(domain, host);
}

}  // namespace

result<session_cookies> session_cookies::parse(
    std::string_view text, std::string_view host, std::int64_t now) {
    session_cookies session;
    session.fingerprint_ = fingerprint_of(text);
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    bool has_expired = false;
    for (auto& listed : read_any(text)) {
        auto& cookie = listed.cookie;
        if (!is_name(cookie.name) || !is_sendable(cookie.value) ||
            !is_for_platform(listed.domain, host))
            continue;
        if (cookie.expires_at > 0 && cookie.expires_at <= now) {
            has_expired = has_expired || cookie.name == decisive_cookie;
            continue;
        }
        auto& kept = session.cookies_;
        const auto same = std::find_if(
            kept.begin(), kept.end(), [&](const auto& other) { return other.name == cookie.name; });
        if (same != kept.end()) {
            *same = std::move(cookie);
        } else if (kept.size() < cookies_max) {
            kept.push_back(std::move(cookie));
        }
    }
    if (!session.value_of(decisive_cookie).empty()) return session;
    return error{
        errc::invalid_argument,
        has_expired ? "its cookie sessionid has expired; export the cookies again"
                    : "it contains no signed-in session: the cookie sessionid of instagram.com is "
                      "missing"};
}

std::string_view session_cookies::value_of(std::string_view name) const noexcept {
    for (const auto& cookie : cookies_) {
        if (cookie.name == name) return cookie.value;
    }
    return {};
}

std::string session_cookies::header() const {
    std::string text;
    for (const auto& cookie : cookies_) {
        if (!text.empty()) text += "; ";
        text += cookie.name + "=" + cookie.value;
    }
    return text;
}

std::string session_cookies::netscape_file() const {
    std::string text = "# Netscape HTTP Cookie File\n";
    for (const auto& cookie : cookies_) {
        text += ".instagram.com\tTRUE\t/\tTRUE\t" + std::to_string(cookie.expires_at) + "\t" +
                cookie.name + "\t" + cookie.value + "\n";
    }
    return text;
}

void session_cookies::hide_in(std::string& text) const {
    // Shorter ones are screen sizes and languages. The user's number is in public answers too.
    constexpr std::size_t secret_bytes_min = 8;
    for (const auto& cookie : cookies_) {
        const auto& secret = cookie.value;
        if (secret.size() < secret_bytes_min || cookie.name == "ds_user_id") continue;
        for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
            text.replace(at, secret.size(), "***");
    }
}

}  // namespace reelsd::platform
