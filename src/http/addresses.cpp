#include "ascii.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/http/server.hpp>

#include <optional>
#include <string>

namespace reelsd::http {

namespace ip = boost::asio::ip;
using boost::system::error_code;

namespace {

/// An element of X-Forwarded-For. Some proxies add a port: "192.0.2.1:4711", "[2001:db8::1]:4711".
std::optional<ip::address> forwarded_address(std::string_view element) {
    const bool has_brackets = element.starts_with('[');
    const bool has_one_colon = element.find(':') == element.rfind(':');
    const auto address =
        parse_ip_address(has_brackets || has_one_colon ? host_without_port(element) : element);
    return address ? std::optional{unmapped(*address)} : std::nullopt;
}

error malformed_listen_address(std::string_view text, std::string_view why) {
    return error{
        errc::invalid_argument,
        "listen address \"" + std::string{text} + "\": " + std::string{why}};
}

/// The IP address to bind; nothing for any other host.
std::optional<std::string> listen_host(std::string_view text) {
    if (text.empty()) return "0.0.0.0";
    if (text == "localhost") return "127.0.0.1";
    const bool bracketed = text.starts_with('[') && text.ends_with(']');
    if (bracketed) text = text.substr(1, text.size() - 2);
    error_code failed;
    const auto address = ip::make_address(std::string{text}, failed);
    // The last group of an IPv6 address without brackets would be read as the port.
    if (failed || address.is_v6() != bracketed) return std::nullopt;
    return address.to_string();
}

}  // namespace

ip::address client_behind(
    const ip::address& peer, const header_fields& headers, std::span<const ip_network> proxies) {
    auto client = unmapped(peer);
    const auto fields = headers.find_all("X-Forwarded-For");
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) {
        auto rest = *field;
        for (bool has_more = true; has_more;) {
            if (!any_contains(proxies, client)) return client;
            const auto comma = rest.rfind(',');
            has_more = comma != std::string_view::npos;
            const auto element = has_more ? rest.substr(comma + 1) : rest;
            const auto named = forwarded_address(trimmed(element, optional_whitespace));
            if (!named) return client;
            client = *named;
            if (has_more) rest = rest.substr(0, comma);
        }
    }
    return client;
}

std::string_view host_without_port(std::string_view authority) noexcept {
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        const auto after = end == std::string_view::npos ? authority : authority.substr(end + 1);
        return after.empty() || after.front() == ':' ? authority.substr(1, end - 1) : authority;
    }
    return authority.substr(0, authority.find(':'));
}

bool is_own_host(std::string_view host, std::string_view own_name) {
    auto name = host_without_port(host);
    if (name.ends_with('.')) name.remove_suffix(1);
    if (name.find_first_of(".:") == std::string_view::npos) return true;
    if (equals_ignoring_case(name, own_name)) return true;
    constexpr std::string_view local_domain = ".localhost";
    if (name.size() > local_domain.size() &&
        equals_ignoring_case(name.substr(name.size() - local_domain.size()), local_domain))
        return true;
    error_code failed;
    ip::make_address(std::string{name}, failed);
    return !failed;
}

std::string text_of(const listen_address& address) {
    const bool is_v6 = address.host.find(':') != std::string::npos;
    const auto host = is_v6 ? "[" + address.host + "]" : address.host;
    return host + ":" + std::to_string(address.port);
}

result<listen_address> parse_listen_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return malformed_listen_address(text, "address:port is expected");
    const auto host = listen_host(text.substr(0, colon));
    if (!host)
        return malformed_listen_address(text, "the host must be an IP address, IPv6 in brackets");
    const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!port) return malformed_listen_address(text, "the port must be a number from 0 to 65535");
    return listen_address{.host = *host, .port = *port};
}

}  // namespace reelsd::http
