#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/base/invariant.hpp>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <exception>
#include <memory>

namespace reelsd::async {

namespace asio = boost::asio;

struct offload_pool::state {
    state(std::size_t thread_count, std::size_t queue_max)
        : pool{thread_count}, pending_max{thread_count + queue_max} {}

    asio::thread_pool pool;
    std::size_t pending_max;
    std::atomic<std::size_t> pending{0};
};

namespace {

struct call_end {
    bool in_time = false;
    std::exception_ptr thrown;
};

call_end call_unless_late(deadline by, const std::function<void()>& call) {
    if (by.passed()) return {};
    try {
        call();
    } catch (...) {
        // The caller's co_await rethrows it on the loop.
        return {.in_time = true, .thrown = std::current_exception()};
    }
    return {.in_time = true, .thrown = nullptr};
}

/// A call that waits for a thread until its timer ends. Whoever sets `is_decided` first runs the
/// call or gives it up, and owns the handler.
template <class Handler>
struct queued_call {
    Handler handler;
    std::atomic<bool> is_decided = false;
};

/// Asio initiation: runs `call` on the pool and then the handler on the handler's executor.
/// Completes without running it when `late` ends before a thread is free.
struct start_call {
    template <class Handler>
    void operator()(
        Handler handler, asio::thread_pool* pool, monotonic_timer* late,
        const std::function<void()>* call) const {
        // Keeps the loop running while the call is on another thread.
        auto loop = asio::prefer(
            asio::get_associated_executor(handler), asio::execution::outstanding_work.tracked);
        const auto queued = std::make_shared<queued_call<Handler>>(std::move(handler));
        const auto by = deadline::at(late->expiry());
        late->async_wait([queued](boost::system::error_code) {
            if (!queued->is_decided.exchange(true)) std::move(queued->handler)(call_end{});
        });
        auto on_pool = [queued, loop = std::move(loop), by, call]() mutable {
            if (queued->is_decided.exchange(true)) return;
            auto on_loop = [queued, ended = call_unless_late(by, *call)]() mutable {
                std::move(queued->handler)(std::move(ended));
            };
            asio::post(loop, std::move(on_loop));
        };
        asio::post(*pool, std::move(on_pool));
    }
};

}  // namespace

offload_pool::offload_pool(std::size_t threads, std::size_t queue_max) {
    constexpr std::size_t threads_max = 64;
    invariant(threads > 0 && threads <= threads_max);
    state_ = std::make_unique<state>(threads, queue_max);
}

offload_pool::~offload_pool() {
    state_->pool.join();
}

std::size_t offload_pool::pending() const noexcept {
    return state_->pending;
}

awaitable<offload_pool::outcome> offload_pool::perform(
    deadline by, const std::function<void()>& call) {
    if (state_->pending >= state_->pending_max) co_return outcome::queue_full;
    ++state_->pending;
    monotonic_timer late{co_await asio::this_coro::executor, by.when()};
    call_end ended = co_await asio::async_initiate<const asio::deferred_t, void(call_end)>(
        start_call{}, asio::deferred, &state_->pool, &late, &call);
    --state_->pending;
    if (ended.thrown) std::rethrow_exception(ended.thrown);
    co_return ended.in_time ? outcome::called : outcome::too_late;
}

}  // namespace reelsd::async
