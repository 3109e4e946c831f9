#pragma once

#include <reelsd/http/header_fields.hpp>
#include <reelsd/http/ip_network.hpp>

#include <span>
#include <string>

namespace reelsd::http {

/// Who sent a request that `peer`, one of `proxies`, has handed on: the last address in its
/// X-Forwarded-For that is not a proxy of ours, because whatever stands before that is the client's
/// own word. When it has none, or what it says there is no address, the last one that is known.
[[nodiscard]] boost::asio::ip::address client_behind(
    const boost::asio::ip::address& peer, const header_fields& headers,
    std::span<const ip_network> proxies);

}  // namespace reelsd::http
