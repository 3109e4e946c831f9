#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace reelsd::http {

/// One address, or all that begin with the same bits. Pure.
class ip_network {
public:
    /// "192.0.2.1", "2001:db8::1", "10.0.0.0/8" or "fd00::/8". Nothing when it is none of these, or
    /// when an address inside of a network stands for it ("10.0.0.1/8").
    [[nodiscard]] static std::optional<ip_network> parse(std::string_view text);

    /// An IPv4 address may be given as IPv6 sockets show it.
    [[nodiscard]] bool contains(const boost::asio::ip::address& one) const;

private:
    ip_network(boost::asio::ip::address first, std::size_t prefix_bits)
        : first_{std::move(first)}, prefix_bits_{prefix_bits} {}

    boost::asio::ip::address first_;
    std::size_t prefix_bits_;
};

/// Whether one of them contains it.
[[nodiscard]] bool any_contains(
    std::span<const ip_network> networks, const boost::asio::ip::address& one);

/// ::ffff:192.0.2.1, as a socket for both families shows IPv4 clients, is 192.0.2.1.
[[nodiscard]] boost::asio::ip::address unmapped(const boost::asio::ip::address& shown);

}  // namespace reelsd::http
