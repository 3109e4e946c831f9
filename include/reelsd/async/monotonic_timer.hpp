#pragma once

#include <reelsd/base/clock.hpp>

#include <boost/asio/basic_waitable_timer.hpp>

namespace reelsd::async {

/// What Asio asks before it sleeps. A simulated clock moves between two polls of the loop, so there
/// is nothing to sleep for: who moves it sets a timer that is due, and the loop then looks at all.
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

/// A timer by the house's monotonic clock; in all else `boost::asio::steady_timer`.
using monotonic_timer = boost::asio::basic_waitable_timer<monotonic_clock, monotonic_wait_traits>;

}  // namespace reelsd::async
