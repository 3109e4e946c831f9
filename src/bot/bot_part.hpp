#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <chrono>
#include <utility>

namespace reelsd::bot {

class bot_api;

/// Deadline of one database operation.
[[nodiscard]] inline deadline soon() {
    return deadline::after(std::chrono::seconds{5});
}

/// A part of the bot that blocks on one of its threads.
class bot_part {
public:
    /// Both outlive it.
    bot_part(bot_dependencies& dependencies, const bot_api& api)
        : dependencies_{dependencies}, api_{api} {}

protected:
    /// Runs a database operation on the loop and waits for it.
    template <class T>
    [[nodiscard]] result<T> query(awaitable<T> operation, const deadline& by = soon()) const {
        return wait_for(dependencies_.loop, std::move(operation), by);
    }

    bot_dependencies& dependencies_;
    const bot_api& api_;
};

}  // namespace reelsd::bot
