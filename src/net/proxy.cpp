#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/net/proxy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace reelsd::net {
namespace {

/// Longest DNS host name. SOCKS5 allows 255 bytes.
constexpr std::size_t host_bytes_max = 253;

error malformed_proxy(const char* why) {
    return error{errc::invalid_argument, why};
}

/// Characters that need no percent-encoding in a user, a password or a host. `:` and `[]` have
/// their own meaning there.
bool is_authority(std::string_view text) {
    constexpr std::string_view marks = "-._~!$&'()*+,;=%:[]@";
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
    });
}

bool is_port(std::string_view digits) {
    return parse_number<std::uint16_t>(digits).value_or(0) > 0;
}

/// Masks a secret. A short one only as a whole word, so that a user `a` leaves the text legible.
void hide(std::string& text, std::string_view secret) {
    constexpr std::size_t short_secret_bytes = 5;
    constexpr std::string_view mask = "***";
    if (secret.empty()) return;
    const auto is_letter_at = [&text](std::size_t at) {
        return at < text.size() && is_alphanumeric(text[at]);
    };
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
        const bool is_whole =
            !is_letter_at(at + secret.size()) && (at == 0 || !is_letter_at(at - 1));
        if (is_whole || secret.size() > short_secret_bytes) {
            text.replace(at, secret.size(), mask);
            at += mask.size();
        } else {
            ++at;
        }
    }
}

}  // namespace

result<proxy> proxy::parse(std::string_view text) {
    const auto scheme_end = text.find("://");
    if (scheme_end == std::string_view::npos) return malformed_proxy("no scheme");
    const auto scheme = ascii_lower(text.substr(0, scheme_end));
    const bool is_socks = scheme == "socks5h";
    if (!is_socks && scheme != "http" && scheme != "https")
        return malformed_proxy("the scheme is not http, https or socks5h");

    auto authority = text.substr(scheme_end + 3);
    if (authority.ends_with('/')) authority.remove_suffix(1);
    // After an unencoded "@" or "/" in a password, libcurl would parse the rest as the host.
    if (!is_authority(authority)) return malformed_proxy("a character must be percent-encoded");
    const auto at = authority.find('@');
    if (at != authority.rfind('@')) return malformed_proxy("more than one @: percent-encode it");
    const auto address = at == std::string_view::npos ? authority : authority.substr(at + 1);

    const auto colon = address.rfind(':');
    if (colon == std::string_view::npos || !is_port(address.substr(colon + 1)))
        return malformed_proxy("no port");
    const auto host = address.substr(0, colon);
    const bool is_v6 = host.starts_with('[') && host.ends_with(']');
    if (host.empty() || host.size() > host_bytes_max ||
        (!is_v6 && host.find_first_of("[]:%") != std::string_view::npos))
        return malformed_proxy("no valid host");

    proxy parsed;
    parsed.url_ = scheme + "://" + std::string{authority};
    parsed.address_ = ascii_lower(address);
    parsed.is_socks_ = is_socks;
    return parsed;
}

std::string_view proxy::credentials() const noexcept {
    const std::string_view text = url_;
    const auto at = text.find('@');
    if (at == std::string_view::npos) return {};
    const auto begin = text.find("://") + 3;
    return text.substr(begin, at - begin);
}

void proxy::hide_in(std::string& text) const {
    const auto all = credentials();
    const auto colon = std::min(all.find(':'), all.size());
    // The longest first.
    const auto password = all.substr(std::min(colon + 1, all.size()));
    for (const auto secret : {all, password, all.substr(0, colon)}) {
        hide(text, secret);
        hide(text, percent_decoded(secret).value_or(""));
    }
}

}  // namespace reelsd::net
