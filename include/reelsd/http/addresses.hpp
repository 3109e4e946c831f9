#pragma once

#include <reelsd/base/ip_network.hpp>
#include <reelsd/http/request.hpp>

#include <boost/asio/ip/address.hpp>

#include <span>
#include <string_view>

/// Addresses and host names of clients, proxies and this server. Pure.
namespace reelsd::http {

/// The client of a request that `peer`, one of `proxies`, forwarded: the last address in
/// X-Forwarded-For that is not one of `proxies`. The client itself can have written all before it.
/// If there is none, or an element is not an address, the last address before it.
[[nodiscard]] boost::asio::ip::address client_behind(
    const boost::asio::ip::address& peer, const header_fields& headers,
    std::span<const ip_network> proxies);

/// Whether a browser may read this server's pages under the name in a `Host` header. A page of
/// another site can point its own name at this machine (DNS rebinding); the browser then treats our
/// responses as that site's. Therefore only names that such a site cannot have are allowed:
/// - address literals;
/// - "localhost", its subdomains, and any other name without a dot, which cannot be registered;
/// - `own_name`, without a port, in any letter case.
/// A request without `Host` does not come from a browser.
[[nodiscard]] bool is_own_host(std::string_view host, std::string_view own_name);

/// The host of a `Host` header, or of an authority, without its port; IPv6 without brackets.
[[nodiscard]] std::string_view host_without_port(std::string_view authority) noexcept;

}  // namespace reelsd::http
