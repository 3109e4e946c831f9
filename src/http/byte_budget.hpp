#pragma once

#include <cstddef>

namespace reelsd::http {

/// The bytes that all connections of a server may hold in memory together, beyond a small allowance
/// of each. Loop's thread only. Outlives its shares.
class byte_budget {
public:
    /// What a connection may always hold: an ordinary request or answer. 10,000 of them are 40 MB.
    static constexpr std::size_t allowance = 4096;

    explicit byte_budget(std::size_t bytes_max) : left_{bytes_max} {}
    byte_budget(const byte_budget&) = delete;
    byte_budget& operator=(const byte_budget&) = delete;

    /// One connection's part of it.
    class share {
    public:
        explicit share(byte_budget& of) : budget_{of} {}
        share(const share&) = delete;
        share& operator=(const share&) = delete;
        ~share() { budget_.left_ += taken_; }

        /// Whether the connection may hold `bytes` in all; if not, its part stays as it was.
        [[nodiscard]] bool resize(std::size_t bytes) noexcept {
            const std::size_t wanted = bytes > allowance ? bytes - allowance : 0;
            if (wanted > taken_ && wanted - taken_ > budget_.left_) return false;
            budget_.left_ = budget_.left_ + taken_ - wanted;
            taken_ = wanted;
            return true;
        }
        void clear() noexcept { static_cast<void>(resize(0)); }

    private:
        byte_budget& budget_;
        std::size_t taken_ = 0;
    };

    [[nodiscard]] std::size_t left() const noexcept { return left_; }

private:
    std::size_t left_;
};

}  // namespace reelsd::http
