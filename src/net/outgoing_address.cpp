#include "socket_address.hpp"
#include <reelsd/base/ip_network.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/net/outgoing_address.hpp>

#include <boost/asio/ip/tcp.hpp>

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <memory>
#include <optional>

namespace reelsd::net {
namespace {

namespace ip = boost::asio::ip;

/// Also true of an address that no interface has, but that a local route allows.
bool can_bind(const ip::address& address) {
    const ip::tcp::endpoint local{address, 0};
    const unique_fd socket{
        ::socket(local.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP)};
    return socket && ::bind(socket.get(), local.data(), static_cast<socklen_t>(local.size())) == 0;
}

std::optional<ip::address> address_of_interface(const std::string& name) {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return std::nullopt;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
    std::optional<ip::address> found;
    for (const auto* at = first; at != nullptr; at = at->ifa_next) {
        const bool is_up = (at->ifa_flags & IFF_UP) != 0;
        if (!is_up || at->ifa_addr == nullptr || name != at->ifa_name) continue;
        const auto address = address_of(*at->ifa_addr);
        if (!address || (address->is_v6() && address->to_v6().is_link_local())) continue;
        if (!found || (address->is_v4() && found->is_v6())) found = address;
    }
    return found;
}

}  // namespace

result<ip::address> find_outgoing_address(const std::string& setting) {
    const auto configured = parse_ip_address(setting);
    if (configured && can_bind(*configured)) return *configured;
    const auto address = configured ? std::nullopt : address_of_interface(setting);
    if (address) return *address;
    return error{errc::internal, "this machine has no address for outgoing-address = " + setting};
}

}  // namespace reelsd::net
