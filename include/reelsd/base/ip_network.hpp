#pragma once

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace reelsd {

/// Strict notation ("10.0.0.1", "fd00::1"), without brackets or zone. Pure, as all of this header.
[[nodiscard]] std::optional<boost::asio::ip::address> parse_ip_address(std::string_view text);

/// 192.0.2.1 for ::ffff:192.0.2.1, which is how a dual-stack socket reports IPv4 peers.
[[nodiscard]] boost::asio::ip::address unmapped(const boost::asio::ip::address& address);

/// A block of addresses with a common prefix.
class ip_network {
public:
    /// Accepts "10.0.0.0/8", "fd00::/8" or a single address. Returns nothing for any other text
    /// and when bits after the prefix are set ("10.0.0.1/8").
    [[nodiscard]] static std::optional<ip_network> parse(std::string_view text);

    /// An IPv4 address also counts in its IPv6-mapped form.
    [[nodiscard]] bool contains(const boost::asio::ip::address& address) const;

private:
    ip_network(boost::asio::ip::address first, std::size_t prefix_bits)
        : first_{std::move(first)}, prefix_bits_{prefix_bits} {}

    boost::asio::ip::address first_;
    std::size_t prefix_bits_;
};

[[nodiscard]] bool any_contains(
    std::span<const ip_network> networks, const boost::asio::ip::address& address);

}  // namespace reelsd
