#pragma once

#include "bot_api.hpp"
#include "command.hpp"
#include "message_sender.hpp"
#include "update_handler.hpp"
#include <reelsd/bot/bot.hpp>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::bot {

/// A token that was rejected is retried at this interval.
inline constexpr std::chrono::seconds wrong_token_pause{60};
/// Lease of the bot. Short, so that another daemon takes over soon; a renewal is one small row.
inline constexpr seconds_f bot_lease_length{8.0};

/// Polls the Bot API for updates and handles them. Blocking; for one thread.
class update_poller {
public:
    struct callbacks {
        std::function<void(ephemeral_message)> send;
        std::function<void()> on_handled;  ///< Messages may have been stored.
    };
    /// Both references outlive the poller.
    update_poller(bot_dependencies& dependencies, const bot_api& api, callbacks outbox)
        : dependencies_{dependencies}, api_{api}, outbox_{std::move(outbox)} {}

    /// Polls until `term` ends, while this daemon has the bot.
    void poll(const bot_identity& self, const std::stop_token& term);

private:
    [[nodiscard]] api_answer request_updates(
        const chats::update_position& from, const std::stop_token& term) const;
    [[nodiscard]] bool handle_all(
        update_handler& handler, const std::vector<update>& updates, const std::stop_token& term);
    [[nodiscard]] bool handle(update_handler& handler, const update& received);
    void back_off(const api_answer& answer, int failures, const std::stop_token& term);

    bot_dependencies& dependencies_;
    const bot_api& api_;
    callbacks outbox_;
    std::int64_t failed_update_ = 0;
    int consecutive_failures_ = 0;  ///< Failures of `failed_update_`.
    bool is_failing_ = false;       ///< The failure of polling has been logged.
};

}  // namespace reelsd::bot
