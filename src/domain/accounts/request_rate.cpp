#include <reelsd/domain/accounts/request_rate.hpp>

#include <algorithm>
#include <cmath>

namespace reelsd::accounts {
namespace {

using namespace std::chrono_literals;
using seconds = std::chrono::duration<double>;

/// A bucket is full after a minute without requests, so forgetting it changes nothing.
constexpr auto full_after = 60s;

}  // namespace

int request_rate::take(account_id account, int per_minute, time_point now) {
    forget_full(now);
    const auto limit = static_cast<double>(per_minute);
    const double per_second = limit / 60.0;
    auto& state = buckets_.try_emplace(account.value, bucket{limit, now}).first->second;
    state.tokens = std::min(limit, state.tokens + seconds{now - state.filled}.count() * per_second);
    state.filled = now;
    if (state.tokens < 1.0) {
        return std::max(1, static_cast<int>(std::ceil((1.0 - state.tokens) / per_second)));
    }
    state.tokens -= 1.0;
    return 0;
}

void request_rate::forget_full(time_point now) {
    if (now < next_sweep_) return;
    next_sweep_ = now + full_after;
    std::erase_if(
        buckets_, [now](const auto& entry) { return now - entry.second.filled >= full_after; });
}

}  // namespace reelsd::accounts
