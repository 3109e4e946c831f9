#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/db/errors.hpp>  // What the stores throw.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <exception>
#include <future>
#include <type_traits>
#include <utility>

namespace reelsd {

/// Runs `operation` on the loop and waits for it on this thread, which must not be the loop's.
/// Errors: the codes of db::failure; database_unavailable when the loop does not answer; internal
/// for any other exception.
template <class T>
result<T> wait_for(
    const boost::asio::any_io_executor& loop, boost::asio::awaitable<T> operation,
    const deadline& by) {
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

}  // namespace reelsd
