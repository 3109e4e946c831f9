#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <utility>

namespace reelsd::bot {

/// Deadline of one database operation.
[[nodiscard]] inline deadline soon() {
    return deadline::after(std::chrono::seconds{5});
}

/// Runs a database operation on the loop and waits for it on a thread of the bot.
template <class T>
[[nodiscard]] result<T> query(
    const bot_dependencies& dependencies, boost::asio::awaitable<T> operation,
    const deadline& by = soon()) {
    return wait_for(dependencies.loop, std::move(operation), by);
}

}  // namespace reelsd::bot
