#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>  // What the stores throw.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace reelsd {

/// Runs `operation` on the loop and waits for it on this thread, which must not be the loop's.
/// Errors: the codes of db::failure; database_unavailable when the loop does not answer; internal
/// for any other exception.
template <class T>
result<T> wait_for(
    const boost::asio::any_io_executor& loop, awaitable<T> operation, const deadline& by) {
    // After the statement's own deadline. A loop that has not begun by then is ending.
    constexpr std::chrono::seconds loop_grace{1};
    auto outcome = boost::asio::co_spawn(loop, std::move(operation), boost::asio::use_future);
    if (outcome.wait_until(by.when() + loop_grace) != std::future_status::ready) {
        return error{errc::database_unavailable, "the loop does not answer"};
    }
    try {
        if constexpr (std::is_void_v<T>) {
            outcome.get();
            return {};
        } else {
            return outcome.get();
        }
    } catch (const db::failure& failure) {
        return error{failure.code(), failure.what()};
    } catch (const std::exception& failure) {
        return error{errc::internal, failure.what()};
    }
}

/// Likewise, for an operation that may take long. Also returns soon after a stop request, with
/// cancelled; timed_out when `by` has passed. The operation then continues without a reader.
template <class T>
result<T> wait_for(
    const boost::asio::any_io_executor& loop, awaitable<T> operation, const deadline& by,
    const std::stop_token& stop) {
    struct shared_outcome {
        std::mutex mutex;
        std::condition_variable_any arrived;
        std::exception_ptr failure;
        std::optional<T> value;
        bool has_arrived = false;
    };
    const auto outcome = std::make_shared<shared_outcome>();
    boost::asio::co_spawn(
        loop, std::move(operation), [outcome](std::exception_ptr failure, T value) {
            const std::scoped_lock lock{outcome->mutex};
            outcome->failure = std::move(failure);
            outcome->value = std::move(value);
            outcome->has_arrived = true;
            outcome->arrived.notify_all();
        });
    std::unique_lock lock{outcome->mutex};
    const auto has_arrived = [&outcome] { return outcome->has_arrived; };
    if (!outcome->arrived.wait_until(lock, stop, by.when(), has_arrived)) {
        return error{stop.stop_requested() ? errc::cancelled : errc::timed_out};
    }
    try {
        if (outcome->failure) std::rethrow_exception(outcome->failure);
        return *std::move(outcome->value);
    } catch (const db::failure& failure) {
        return error{failure.code(), failure.what()};
    } catch (const std::exception& failure) {
        return error{errc::internal, failure.what()};
    }
}

}  // namespace reelsd
