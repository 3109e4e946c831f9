#include <reelsd/http/ip_network.hpp>

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <string>

namespace reelsd::http {

namespace ip = boost::asio::ip;
using boost::system::error_code;

namespace {

constexpr std::size_t bits_v4 = 32;
constexpr std::size_t bits_v6 = 128;

/// The address up to `prefix_bits`, the rest nulls.
ip::address first_of(const ip::address& one, std::size_t prefix_bits) {
    const auto length = static_cast<unsigned short>(prefix_bits);
    if (one.is_v4()) return ip::make_network_v4(one.to_v4(), length).network();
    return ip::make_network_v6(one.to_v6(), length).network();
}

}  // namespace

ip::address unmapped(const ip::address& shown) {
    if (!shown.is_v6() || !shown.to_v6().is_v4_mapped()) return shown;
    return ip::make_address_v4(ip::v4_mapped, shown.to_v6());
}

std::optional<ip_network> ip_network::parse(std::string_view text) {
    const std::string whole{text};
    error_code malformed;
    if (text.find('/') == std::string_view::npos) {
        const auto address = ip::make_address(whole, malformed);
        // A zone ("fe80::1%eth0") is of no use to whoever compares addresses.
        if (malformed || text.find('%') != std::string_view::npos) return std::nullopt;
        const auto plain = unmapped(address);
        return ip_network{plain, plain.is_v4() ? bits_v4 : bits_v6};
    }
    if (const auto network = ip::make_network_v4(whole, malformed); !malformed) {
        if (network.address() != network.network()) return std::nullopt;
        return ip_network{network.network(), network.prefix_length()};
    }
    const auto network = ip::make_network_v6(whole, malformed);
    if (malformed || network.address() != network.network()) return std::nullopt;
    return ip_network{network.network(), network.prefix_length()};
}

bool ip_network::contains(const ip::address& one) const {
    const auto plain = unmapped(one);
    return plain.is_v4() == first_.is_v4() && first_of(plain, prefix_bits_) == first_;
}

bool any_contains(std::span<const ip_network> networks, const ip::address& one) {
    const auto contains = [&](const ip_network& network) { return network.contains(one); };
    return std::any_of(networks.begin(), networks.end(), contains);
}

}  // namespace reelsd::http
