#pragma once

#include <algorithm>
#include <chrono>

namespace reelsd::db {

/// How long to wait before the next attempt to connect: 100 ms, doubling to 1 s. The cap keeps the
/// pool within 2 s of the server's return; the doubling keeps a dead server's host from being
/// hammered.
class backoff {
public:
    [[nodiscard]] std::chrono::milliseconds next() noexcept {
        const auto now = delay_;
        delay_ = std::min(delay_ * 2, delay_max);
        return now;
    }
    void reset() noexcept { delay_ = delay_min; }

    static constexpr std::chrono::milliseconds delay_min{100};
    static constexpr std::chrono::milliseconds delay_max{1000};

private:
    std::chrono::milliseconds delay_ = delay_min;
};

}  // namespace reelsd::db
