#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reelsd::async {

/// Wait traits of Asio timers. A simulated clock moves between two polls of the loop, so sleeping
/// is pointless: the simulation sets a due timer after each move, and the loop then checks all.
struct monotonic_wait_traits {
    using duration = monotonic_clock::duration;

    [[nodiscard]] static duration to_wait_duration(const duration& left) {
        if (!monotonic_clock::is_simulated()) return left;
        return left > duration::zero() ? duration::max() : duration::zero();
    }
    [[nodiscard]] static duration to_wait_duration(const monotonic_clock::time_point& when) {
        return to_wait_duration(when - monotonic_clock::now());
    }
};

/// A timer on `monotonic_clock`; otherwise like `boost::asio::steady_timer`.
using monotonic_timer = boost::asio::basic_waitable_timer<monotonic_clock, monotonic_wait_traits>;

/// Suspends the coroutine for `length`.
inline awaitable<void> pause(monotonic_clock::duration length) {
    monotonic_timer timer{co_await boost::asio::this_coro::executor, length};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace reelsd::async
