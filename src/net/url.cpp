#include <reelsd/base/ip_network.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/url.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <memory>

namespace reelsd::net {
namespace {

struct curl_url_deleter {
    void operator()(CURLU* handle) const noexcept { curl_url_cleanup(handle); }
};
using curl_url_ptr = std::unique_ptr<CURLU, curl_url_deleter>;

/// Maximum length of a URL. Signed media URLs measured 0.6-1.2 KB; libcurl itself ends at 8 MB.
constexpr std::size_t url_bytes_max = 8192;

error malformed(const char* why) {
    return error{errc::invalid_argument, why};
}

/// Printable ASCII without the characters that parsers disagree on.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
}

std::string part_of(CURLU* handle, CURLUPart part, unsigned int flags = 0) {
    char* raw = nullptr;
    if (curl_url_get(handle, part, &raw, flags) != CURLUE_OK) return {};
    std::string text{raw};
    curl_free(raw);
    return text;
}

constexpr std::uint16_t default_port_of(std::string_view scheme) {
    return scheme == "https" ? 443 : 80;
}

/// Whether the last label, ignoring a root dot, is a number. Such a host must be an IPv4 address.
/// Source: WHATWG URL 3.5, "ends in a number".
bool ends_in_number(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    auto label = host.substr(host.rfind('.') + 1);
    const bool is_hexadecimal = label.starts_with("0x");
    if (is_hexadecimal) label.remove_prefix(2);
    const auto is_digit = [&](char c) {
        return (c >= '0' && c <= '9') || (is_hexadecimal && c >= 'a' && c <= 'f');
    };
    return (is_hexadecimal || !label.empty()) && std::ranges::all_of(label, is_digit);
}

}  // namespace

result<url> url::parse(std::string_view text) {
    if (text.size() > url_bytes_max) return malformed("URL is too long");
    if (!is_plain(text)) return malformed("URL contains a character that is not allowed in URLs");

    // libcurl would take one to three slashes and make the first path segment the host.
    const auto slashes = text.find("://");
    if (slashes == std::string_view::npos || text.substr(slashes + 3).starts_with('/'))
        return malformed("not an absolute URL");

    const curl_url_ptr handle{curl_url()};
    url parsed;
    parsed.text_ = std::string{text};
    // Guesses no scheme and rejects user info.
    if (curl_url_set(
            handle.get(),
            CURLUPART_URL,
            parsed.text_.c_str(),
            CURLU_DISALLOW_USER | CURLU_PATH_AS_IS) != CURLUE_OK)
        return malformed("not an absolute URL");

    parsed.scheme_ = ascii_lower(part_of(handle.get(), CURLUPART_SCHEME));
    if (parsed.scheme_ != "http" && parsed.scheme_ != "https")
        return malformed("URL is neither http nor https");
    parsed.host_ = ascii_lower(part_of(handle.get(), CURLUPART_HOST));
    if (parsed.host_.size() > 2 && parsed.host_.front() == '[')
        parsed.host_ = parsed.host_.substr(1, parsed.host_.size() - 2);
    if (parsed.host_.empty()) return malformed("URL has no host");
    if (ends_in_number(parsed.host_) && !parse_ip_address(parsed.host_))
        return malformed("the host of the URL is a number but not an IPv4 address");
    parsed.path_ = part_of(handle.get(), CURLUPART_PATH);
    if (parsed.path_.empty()) parsed.path_ = "/";

    const auto port = part_of(handle.get(), CURLUPART_PORT);
    parsed.port_ = default_port_of(parsed.scheme_);
    if (!port.empty()) {
        parsed.port_ = parse_number<std::uint16_t>(port).value_or(0);
        if (parsed.port_ == 0) return malformed("URL has no valid port");
    }
    return parsed;
}

result<url> url::resolve(std::string_view reference) const {
    if (reference.empty() || reference.size() > url_bytes_max || !is_plain(reference))
        return malformed("not a URL reference");
    // Keeps an absolute reference unchanged, so that its signature stays valid.
    if (auto absolute = parse(reference)) return absolute;

    const curl_url_ptr handle{curl_url()};
    if (curl_url_set(handle.get(), CURLUPART_URL, text_.c_str(), 0) != CURLUE_OK)
        return malformed("not an absolute URL");
    const std::string relative{reference};
    if (curl_url_set(handle.get(), CURLUPART_URL, relative.c_str(), 0) != CURLUE_OK)
        return malformed("not a URL reference");
    return parse(part_of(handle.get(), CURLUPART_URL));
}

bool url::has_default_port() const noexcept {
    return port_ == default_port_of(scheme_);
}

std::string url::origin() const {
    const bool is_v6 = host_.find(':') != std::string::npos;
    std::string text = scheme_ + "://" + (is_v6 ? "[" + host_ + "]" : host_);
    if (!has_default_port()) text += ":" + std::to_string(port_);
    return text;
}

}  // namespace reelsd::net
