#include "client_places.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>

namespace reelsd::http {

namespace ip = boost::asio::ip;

namespace {

/// A dual-stack listener sees IPv4 clients as mapped addresses.
ip::address unmapped(const ip::address& remote) {
    if (!remote.is_v6() || !remote.to_v6().is_v4_mapped()) return remote;
    return ip::make_address_v4(ip::v4_mapped, remote.to_v6());
}

/// Who is behind an address, as a key.
std::string client_of(const ip::address& remote) {
    constexpr std::size_t prefix_bytes = 8;
    const auto as_key = [](const auto& bytes, std::size_t size) {
        return std::string(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    };
    if (remote.is_v6()) return as_key(remote.to_v6().to_bytes(), prefix_bytes);
    const auto bytes = remote.to_v4().to_bytes();
    return as_key(bytes, bytes.size());
}

}  // namespace

client_places::client_places(std::size_t per_client_max, const std::vector<std::string>& unbounded)
    : per_client_max_{per_client_max} {
    for (const auto& text : unbounded) unbounded_.push_back(unmapped(ip::make_address(text)));
}

client_places::place client_places::take(const ip::address& remote) {
    const auto address = unmapped(remote);
    const bool is_bounded =
        per_client_max_ > 0 &&
        std::find(unbounded_.begin(), unbounded_.end(), address) == unbounded_.end();
    auto client = client_of(address);
    auto& count = by_client_[client];
    if (is_bounded && count >= per_client_max_) return {};
    ++count;
    ++taken_;
    return {*this, std::move(client)};
}

void client_places::give_back(const std::string& client) noexcept {
    const auto known = by_client_.find(client);
    invariant(known != by_client_.end());
    --taken_;
    if (--known->second == 0) by_client_.erase(known);
}

}  // namespace reelsd::http
