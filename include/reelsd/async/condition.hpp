#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/intrusive/list.hpp>

#include <cstddef>

namespace reelsd::async {

/// Lets coroutines of one event loop wait for a notification: a job has ended, the queue has work.
/// Like a condition variable it stores no state, so check the state before and after:
///     while (!finished && !by.passed()) co_await changed.wait(by);
/// Thread: only the loop's, all members. Must outlive its waiters.
class condition {
public:
    ~condition();

    /// Returns true when notified, false when `by` passes first; a notification wins a tie.
    /// Throws operation_aborted when the waiting coroutine is cancelled. Memory: one timer per
    /// waiter.
    [[nodiscard]] awaitable<bool> wait(deadline by);

    /// Wakes the longest-waiting coroutine, if any. It runs later, never inside this call.
    void notify_one();
    /// Wakes all coroutines that wait now.
    void notify_all() {
        while (!waiting_.empty()) notify_one();
    }

    [[nodiscard]] std::size_t waiters() const noexcept { return waiting_.size(); }

private:
    struct waiter;
    using hook =
        boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;
    struct waiter_base : hook {};

    static void wake(waiter_base& woken);

    boost::intrusive::list<waiter_base> waiting_;
};

}  // namespace reelsd::async
