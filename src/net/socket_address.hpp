#pragma once

#include <boost/asio/ip/address.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <optional>

namespace reelsd::net {

/// Empty for other families.
inline std::optional<boost::asio::ip::address> address_of(const sockaddr& address) {
    namespace ip = boost::asio::ip;
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        return ip::address_v4{ntohl(v4.sin_addr.s_addr)};
    }
    if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        ip::address_v6::bytes_type bytes{};
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        return ip::address_v6{bytes};
    }
    return std::nullopt;
}

}  // namespace reelsd::net
