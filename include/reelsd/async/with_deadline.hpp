#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace reelsd::async {

namespace detail {

template <class T>
concept has_value = !std::is_void_v<T>;

/// Enables every kind of cancellation, which deadlines and stops use. A coroutine that a parallel
/// group spawns receives only terminal cancellation by default.
/// The optional makes any type default-constructible, as a parallel group requires.
template <class T>
awaitable<std::optional<T>> with_total_cancellation(awaitable<T> operation) {
    co_await boost::asio::this_coro::reset_cancellation_state(
        boost::asio::enable_total_cancellation());
    co_return std::optional<T>{co_await std::move(operation)};
}

/// Returns whether the operation ended because it was cancelled.
[[nodiscard]] bool is_cancellation(const std::exception_ptr& thrown) noexcept;

/// Rethrows the operation's exception unless its deadline cancelled it. Throws operation_aborted
/// when the caller itself was cancelled.
void rethrow_unless_timed_out(
    const std::exception_ptr& thrown, const boost::system::error_code& timer_outcome);

}  // namespace detail

/// Runs `operation` until it ends or `by` passes. Returns its value, or nothing if the deadline
/// passes first; the operation's value wins a tie. Cancels the operation (every kind) at the
/// deadline and always waits for it, so it may refer to the caller's frame. It must therefore end
/// soon after it is cancelled, as every Asio operation does.
/// Throws what the operation throws, and operation_aborted when the caller is cancelled.
/// `T` is default-constructible. Thread: the caller's executor. The caller chooses its own timeout
/// error:
///     auto row = co_await with_deadline(read_row(), by);
///     if (!row) co_return error{errc::database_unavailable, "no answer in time"};
template <detail::has_value T>
awaitable<std::optional<T>> with_deadline(awaitable<T> operation, deadline by) {
    namespace asio = boost::asio;
    const auto loop = co_await asio::this_coro::executor;
    async::monotonic_timer timer{loop, by.when()};
    auto wrapped = detail::with_total_cancellation(std::move(operation));
    auto race = asio::experimental::make_parallel_group(
        asio::co_spawn(loop, std::move(wrapped), asio::deferred), timer.async_wait(asio::deferred));
    auto [order, thrown, value, timer_outcome] =
        co_await std::move(race).async_wait(asio::experimental::wait_for_one(), asio::deferred);
    if (thrown) {
        detail::rethrow_unless_timed_out(thrown, timer_outcome);
        co_return std::nullopt;
    }
    co_return std::move(value);
}

/// The same for an operation without a value. Returns false if the deadline passes first.
[[nodiscard]] awaitable<bool> with_deadline(awaitable<void> operation, deadline by);

}  // namespace reelsd::async
