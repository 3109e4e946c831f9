#pragma once

#include <reelsd/http/addresses.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelsd::http {

/// Counts the connections of each client, so that no client takes them all. A client is an IPv4
/// address or an IPv6 /64, which providers assign to one customer. The loop's thread only.
/// Outlives its slots.
class connection_limiter {
    struct slot_release {
        std::string client = {};
        void operator()(connection_limiter* limiter) const noexcept { limiter->release(client); }
    };

public:
    /// One connection, released on destruction. Null: the client has reached its limit.
    using slot = std::unique_ptr<connection_limiter, slot_release>;

    /// 0 as `per_client_max` means no limit; `unlimited` addresses have many clients each.
    connection_limiter(std::size_t per_client_max, std::vector<ip_network> unlimited)
        : per_client_max_{per_client_max}, unlimited_{std::move(unlimited)} {}

    [[nodiscard]] slot acquire(const boost::asio::ip::address& remote);
    /// Slots of all clients together.
    [[nodiscard]] std::size_t acquired() const noexcept { return acquired_; }

private:
    void release(const std::string& client) noexcept;

    std::size_t per_client_max_;
    std::vector<ip_network> unlimited_;
    std::unordered_map<std::string, std::size_t> by_client_;
    std::size_t acquired_ = 0;
};

/// Bound on the bytes that all connections of a server hold in memory together, beyond a small
/// allowance for each. The loop's thread only. Outlives its shares.
class byte_budget {
public:
    /// Bytes that each connection may always hold: an ordinary request or response. 10,000 of them
    /// are 40 MB.
    static constexpr std::size_t allowance = 4096;

    explicit byte_budget(std::size_t bytes_max) : left_{bytes_max} {}
    byte_budget(const byte_budget&) = delete;
    byte_budget& operator=(const byte_budget&) = delete;

    /// The part of one connection.
    class share {
    public:
        explicit share(byte_budget& budget) : budget_{budget} {}
        share(const share&) = delete;
        share& operator=(const share&) = delete;
        ~share() { budget_.left_ += reserved_; }

        /// Whether the connection may hold `bytes` in all. If not, its share does not change.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept {
            const std::size_t required = bytes > allowance ? bytes - allowance : 0;
            if (required > reserved_ && required - reserved_ > budget_.left_) return false;
            budget_.left_ = budget_.left_ + reserved_ - required;
            reserved_ = required;
            return true;
        }
        void clear() noexcept { static_cast<void>(resize(0)); }

    private:
        byte_budget& budget_;
        std::size_t reserved_ = 0;
    };

    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    std::size_t left_;
};

}  // namespace reelsd::http
