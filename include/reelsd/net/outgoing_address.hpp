#pragma once

#include <reelsd/base/result.hpp>

#include <boost/asio/ip/address.hpp>

#include <string>

namespace reelsd::net {

/// The local address that connections leave from. `setting` is an IP address, or the name of a
/// network interface, of which IPv4 is preferred. errc::internal when this machine does not have
/// it now: neither the platform nor a proxy is at fault.
[[nodiscard]] result<boost::asio::ip::address> find_outgoing_address(const std::string& setting);

}  // namespace reelsd::net
