#pragma once

#include <reelsd/http/ip_network.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::http {

/// The connections that each client holds, so that no single one takes them all. A client is an
/// IPv4 address or an IPv6 /64, which is what one customer of a provider is given. Pure; the loop's
/// thread only. Outlives its places.
class connection_limiter {
public:
    /// A connection's place, given back with it. Empty when its client may have no more.
    class place {
    public:
        place() = default;
        place(place&& other) noexcept
            : places_{std::exchange(other.places_, nullptr)}, client_{std::move(other.client_)} {}
        place& operator=(place&&) = delete;
        place(const place&) = delete;
        place& operator=(const place&) = delete;
        ~place() {
            if (places_ != nullptr) places_->give_back(client_);
        }
        explicit operator bool() const noexcept { return places_ != nullptr; }

    private:
        friend class connection_limiter;
        place(connection_limiter& places, std::string client)
            : places_{&places}, client_{std::move(client)} {}

        connection_limiter* places_ = nullptr;
        std::string client_;
    };

    /// `per_client_max` 0 is no bound; `unbounded` have many clients behind each address.
    connection_limiter(std::size_t per_client_max, std::vector<ip_network> unbounded)
        : per_client_max_{per_client_max}, unbounded_{std::move(unbounded)} {}

    [[nodiscard]] place take(const boost::asio::ip::address& remote);
    /// By all clients together.
    [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

private:
    void give_back(const std::string& client) noexcept;

    std::size_t per_client_max_;
    std::vector<ip_network> unbounded_;
    std::unordered_map<std::string, std::size_t> by_client_;
    std::size_t taken_ = 0;
};

}  // namespace reelsd::http
