#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace reelsd::async {

/// Threads for the few calls that would block the loop: password hashing, files, PQcancel.
/// Thread: call it on the loop; the work itself runs on a thread of the pool.
class offload_pool {
public:
    /// `threads` 1-64; at most `queue_max` calls wait for a thread.
    offload_pool(std::size_t threads, std::size_t queue_max);
    /// Waits for running work. No caller may still wait: stop the callers' task group first.
    ~offload_pool();

    /// Runs `work()` (returns a value) on the pool and returns its result on the caller's executor.
    /// Errors: limit_reached when the queue is full; timed_out when `by` passes before a thread is
    /// free. Always waits for work that has begun, even if the caller is cancelled, so the work may
    /// refer to the caller's frame. Throws what `work` throws.
    /// With g++ 12, name a capturing lambda on the line before the `co_await`.
    template <class Work>
    [[nodiscard]] awaitable<result<std::invoke_result_t<Work&>>> run(deadline by, Work work) {
        using value_type = std::invoke_result_t<Work&>;
        std::optional<value_type> value;
        const std::function<void()> call = [&value, &work] { value.emplace(work()); };
        switch (co_await perform(by, call)) {
            case outcome::called: break;
            case outcome::queue_full:
                co_return error{errc::limit_reached, "too many operations are waiting; try again"};
            case outcome::too_late: co_return error{errc::timed_out, "no thread was free in time"};
        }
        co_return std::move(*value);
    }

    /// Number of waiting and running calls, for metrics.
    [[nodiscard]] std::size_t pending() const noexcept;

private:
    struct state;
    enum class outcome : std::uint8_t { called, queue_full, too_late };

    /// Throws what `call` throws.
    [[nodiscard]] awaitable<outcome> perform(deadline by, const std::function<void()>& call);

    std::unique_ptr<state> state_;
};

}  // namespace reelsd::async
