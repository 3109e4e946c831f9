#include <reelsd/base/ip_network.hpp>
#include <reelsd/base/text.hpp>

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <string>

namespace reelsd {

namespace ip = boost::asio::ip;

namespace {

constexpr std::size_t bits_v4 = 32;
constexpr std::size_t bits_v6 = 128;
/// Bits before the IPv4 address in its IPv6-mapped form.
constexpr std::size_t bits_mapped = 96;

/// `address` with all bits after the prefix cleared.
ip::address first_of(const ip::address& address, std::size_t prefix_bits) {
    const auto length = static_cast<unsigned short>(prefix_bits);
    if (address.is_v4()) return ip::make_network_v4(address.to_v4(), length).network();
    return ip::make_network_v6(address.to_v6(), length).network();
}

}  // namespace

std::optional<ip::address> parse_ip_address(std::string_view text) {
    if (contains(text, "%")) return std::nullopt;
    boost::system::error_code malformed;
    const auto address = ip::make_address(std::string{text}, malformed);
    return malformed ? std::nullopt : std::optional{address};
}

ip::address unmapped(const ip::address& address) {
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

std::optional<ip_network> ip_network::parse(std::string_view text) {
    if (!reelsd::contains(text, "/")) {
        const auto address = parse_ip_address(text);
        if (!address) return std::nullopt;
        const auto plain = unmapped(*address);
        return ip_network{plain, plain.is_v4() ? bits_v4 : bits_v6};
    }
    const std::string whole{text};
    boost::system::error_code malformed;
    if (const auto network = ip::make_network_v4(whole, malformed); !malformed) {
        if (network.address() != network.network()) return std::nullopt;
        return ip_network{network.network(), network.prefix_length()};
    }
    const auto network = ip::make_network_v6(whole, malformed);
    if (malformed || network.address() != network.network()) return std::nullopt;
    const std::size_t prefix_bits = network.prefix_length();
    if (network.network().is_v4_mapped() && prefix_bits >= bits_mapped)
        return ip_network{unmapped(network.network()), prefix_bits - bits_mapped};
    return ip_network{network.network(), prefix_bits};
}

bool ip_network::contains(const ip::address& address) const {
    const auto plain = unmapped(address);
    return plain.is_v4() == first_.is_v4() && first_of(plain, prefix_bits_) == first_;
}

bool any_contains(std::span<const ip_network> networks, const ip::address& address) {
    return std::ranges::any_of(
        networks, [&](const ip_network& network) { return network.contains(address); });
}

}  // namespace reelsd
