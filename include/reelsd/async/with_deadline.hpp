#pragma once

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/clock.hpp>

#include <boost/asio/awaitable.hpp>
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

/// A coroutine spawned by a parallel group hears only terminal cancellation unless it says
/// otherwise; a deadline or a stop asks with every kind.
/// The optional makes a value of any type default-constructible, as a parallel group needs it.
template <class T>
boost::asio::awaitable<std::optional<T>> hearing_every_cancellation(
    boost::asio::awaitable<T> operation) {
    co_await boost::asio::this_coro::reset_cancellation_state(
        boost::asio::enable_total_cancellation());
    co_return std::optional<T>{co_await std::move(operation)};
}

/// Whether the operation ended because it was told to.
[[nodiscard]] bool is_cancellation(const std::exception_ptr& thrown) noexcept;

/// What is left of an operation that threw: nothing if its deadline told it to stop, else the
/// exception. Throws operation_aborted when the caller itself was cancelled.
void rethrow_unless_timed_out(
    const std::exception_ptr& thrown, const boost::system::error_code& timer_outcome);

}  // namespace detail

/// Runs `operation` until it ends or `by` passes, whichever is first, and gives its value, or
/// nothing when the deadline won. The operation's value wins a tie. The operation is cancelled
/// (every kind) at the deadline and always waited for, so whatever it refers to may live in the
/// caller's frame: it must therefore end soon after it is cancelled, as every Asio operation does.
/// Throws what the operation throws, and operation_aborted when the caller is cancelled.
/// `T` is default-constructible. Thread: the caller's executor. The caller names its own timeout
/// code:
///     auto row = co_await with_deadline(read_row(), by);
///     if (!row) co_return error{errc::database_unavailable, "no answer in time"};
template <class T>
requires(!std::is_void_v<T>) boost::asio::awaitable<std::optional<T>> with_deadline(
    boost::asio::awaitable<T> operation, deadline by) {
    namespace asio = boost::asio;
    const auto loop = co_await asio::this_coro::executor;
    async::monotonic_timer timer{loop, by.when()};
    auto wrapped = detail::hearing_every_cancellation(std::move(operation));
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

/// The same for an operation without a value: true when it ended in time, false when the deadline
/// won.
[[nodiscard]] boost::asio::awaitable<bool> with_deadline(
    boost::asio::awaitable<void> operation, deadline by);

}  // namespace reelsd::async
