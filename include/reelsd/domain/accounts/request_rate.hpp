#pragma once

#include <reelsd/base/ids.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace reelsd::accounts {

/// Rate limit of requests that one daemon receives, such as messages of chats: a token bucket for
/// each account, in memory. The caller supplies the time.
class request_rate {
public:
    using time_point = std::chrono::steady_clock::time_point;

    /// Counts one request of `account` at `now`. Returns zero if it is accepted, otherwise the
    /// seconds (at least 1) until the next may be. A refused request does not count. `per_minute`
    /// is at least 1.
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
