#include "forwarded_for.hpp"

#include "ascii.hpp"

#include <optional>
#include <string_view>

namespace reelsd::http {

namespace ip = boost::asio::ip;

namespace {

/// "192.0.2.1", "2001:db8::1", and with a port, as some proxies write them: "192.0.2.1:4711" and
/// "[2001:db8::1]:4711".
std::optional<ip::address> address_in(std::string_view element) {
    if (element.starts_with('[')) {
        element = element.substr(1, element.find(']') - 1);
    } else if (element.find(':') == element.rfind(':')) {
        element = element.substr(0, element.find(':'));
    }
    if (element.find('%') != std::string_view::npos) return std::nullopt;
    boost::system::error_code malformed;
    auto address = ip::make_address(std::string{element}, malformed);
    if (malformed) return std::nullopt;
    return unmapped(address);
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
            const auto element = trimmed(has_more ? rest.substr(comma + 1) : rest);
            const auto named = address_in(element);
            if (!named) return client;
            client = *named;
            if (has_more) rest = rest.substr(0, comma);
        }
    }
    return client;
}

}  // namespace reelsd::http
