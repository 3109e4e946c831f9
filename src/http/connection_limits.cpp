#include "connection_limits.hpp"

#include <reelsd/base/invariant.hpp>

namespace reelsd::http {

namespace {

/// The client of an address, as a map key.
std::string client_key(const boost::asio::ip::address& remote) {
    constexpr std::ptrdiff_t prefix_bytes = 8;
    if (remote.is_v6()) {
        const auto bytes = remote.to_v6().to_bytes();
        return {bytes.begin(), bytes.begin() + prefix_bytes};
    }
    const auto bytes = remote.to_v4().to_bytes();
    return {bytes.begin(), bytes.end()};
}

}  // namespace

connection_limiter::slot connection_limiter::acquire(const boost::asio::ip::address& remote) {
    const auto address = unmapped(remote);
    const bool is_limited = per_client_max_ > 0 && !any_contains(unlimited_, address);
    auto client = client_key(address);
    auto& count = by_client_[client];
    if (is_limited && count >= per_client_max_) return nullptr;
    ++count;
    ++acquired_;
    return {this, slot_release{std::move(client)}};
}

void connection_limiter::release(const std::string& client) noexcept {
    const auto known = by_client_.find(client);
    invariant(known != by_client_.end());
    --acquired_;
    if (--known->second == 0) by_client_.erase(known);
}

}  // namespace reelsd::http
