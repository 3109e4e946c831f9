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
    template <class T>
    struct as_result : std::type_identity<result<T>> {};
    template <class T>
    struct as_result<result<T>> : std::type_identity<result<T>> {};

public:
    template <class T>
    using result_of = typename as_result<T>::type;

    /// `threads` 1-64; at most `queue_max` calls wait for a thread.
    offload_pool(std::size_t threads, std::size_t queue_max);
    /// Waits for running work. No caller may still wait: stop the callers' task group first.
    ~offload_pool();

    /// Runs `work()` on the pool and returns its value or its result<> on the caller's executor.
    /// Errors also: limit_reached when the queue is full; timed_out as soon as `by` passes and no
    /// thread has begun the work, which then never begins. Always waits for work that has begun,
    /// even if the caller is cancelled, so the work may refer to the caller's frame. Throws what
    /// `work` throws. With g++ 12, name a capturing lambda on the line before the `co_await`.
    template <class Work>
    [[nodiscard]] awaitable<result_of<std::invoke_result_t<Work&>>> run(deadline by, Work work) {
        using outcome_type = result_of<std::invoke_result_t<Work&>>;
        std::optional<outcome_type> done;
        const std::function<void()> call = [&done, &work] {
            if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
                work();
                done.emplace();
            } else {
                done.emplace(work());
            }
        };
        switch (co_await perform(by, call)) {
            case outcome::called: break;
            case outcome::queue_full:
                co_return error{errc::limit_reached, "too many operations are waiting; try again"};
            case outcome::too_late: co_return error{errc::timed_out, "no thread was free in time"};
        }
        co_return *std::move(done);
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
