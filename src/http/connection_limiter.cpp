#include "connection_limiter.hpp"

#include <reelsd/base/invariant.hpp>

namespace reelsd::http {

namespace ip = boost::asio::ip;

namespace {

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

connection_limiter::place connection_limiter::take(const ip::address& remote) {
    const auto address = unmapped(remote);
    const bool is_bounded = per_client_max_ > 0 && !any_contains(unbounded_, address);
    auto client = client_of(address);
    auto& count = by_client_[client];
    if (is_bounded && count >= per_client_max_) return {};
    ++count;
    ++taken_;
    return {*this, std::move(client)};
}

void connection_limiter::give_back(const std::string& client) noexcept {
    const auto known = by_client_.find(client);
    invariant(known != by_client_.end());
    --taken_;
    if (--known->second == 0) by_client_.erase(known);
}

}  // namespace reelsd::http
