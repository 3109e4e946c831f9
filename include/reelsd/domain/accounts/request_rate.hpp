#pragma once

#include <reelsd/base/ids.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace reelsd::accounts {

/// How fast each account may ask: a token bucket an account, in memory and on this instance alone,
/// because a read must not cost a write. Pure but for its own state: the clock is the caller's.
class request_rate {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Takes one request of `account` at `now`. Zero when it may go on, else the seconds (1 or
    /// more) until it may. A refused request costs nothing. `per_minute` is at least 1.
    [[nodiscard]] int take(account_id account, int per_minute, time_point now);

    [[nodiscard]] std::size_t size() const noexcept { return buckets_.size(); }

private:
    struct bucket {
        double tokens;
        time_point filled;
    };

    void forget_full(time_point now);

    std::unordered_map<std::int64_t, bucket> buckets_;
    time_point next_sweep_{};
};

}  // namespace reelsd::accounts
