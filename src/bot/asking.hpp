#pragma once

#include <reelsd/base/clock.hpp>

#include <chrono>

namespace reelsd::bot {

/// One statement of the database.
inline constexpr std::chrono::seconds ask_time_max{5};
/// A token that is wrong stays so until somebody mends it and starts the daemon anew, or its bot
/// comes back.
inline constexpr std::chrono::seconds wrong_token_pause{60};
/// A killed daemon's bot is silent for so long. Short, because a renewal is one small row.
inline constexpr seconds_f bot_lease{8.0};

[[nodiscard]] inline deadline soon() {
    return deadline::after(ask_time_max);
}

}  // namespace reelsd::bot
