#pragma once

#include <reelsd/base/clock.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace reelsd::testing {

/// Beyond the end of any test.
[[nodiscard]] inline deadline far_deadline() {
    return deadline::after(std::chrono::hours{1});
}

/// A spawned coroutine's value must be default-constructible: an optional of it is.
template <class T>
boost::asio::awaitable<std::optional<T>> as_optional(boost::asio::awaitable<T> work) {
    co_return std::optional<T>{co_await std::move(work)};
}

/// Runs the loop until `work` has ended and gives its value. Throws what it throws.
/// Other coroutines of the loop continue; they are not awaited.
template <class T>
T run_on(boost::asio::io_context& loop, boost::asio::awaitable<T> work) {
    std::optional<T> value;
    std::exception_ptr thrown;
    bool ended = false;
    const auto keep = [&](const std::exception_ptr& why, std::optional<T> got) {
        thrown = why;
        value = std::move(got);
        ended = true;
    };
    boost::asio::co_spawn(loop, as_optional(std::move(work)), keep);
    loop.restart();
    while (!ended && loop.run_one() > 0) {
    }
    if (thrown) std::rethrow_exception(thrown);
    return std::move(value).value();
}

inline void run_on(boost::asio::io_context& loop, boost::asio::awaitable<void> work) {
    std::exception_ptr thrown;
    bool ended = false;
    boost::asio::co_spawn(loop, std::move(work), [&](std::exception_ptr why) {
        thrown = why;
        ended = true;
    });
    loop.restart();
    while (!ended && loop.run_one() > 0) {
    }
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace reelsd::testing
