#pragma once

#include "bot_api.hpp"
#include "command.hpp"
#include "delivery.hpp"
#include "message_sender.hpp"
#include "per_chat_throttle.hpp"
#include "update_handler.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/bot/bot.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

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

/// The bot's threads and what they share. One (`outbox`) finds out who we are, holds the bot, looks
/// what is to be said and hands it out; one (`update_poller`) asks for updates and has the update
/// handler handle them; some (`message_senders`) send messages. Only the outbox uses the per-chat
/// throttle.
class bot::state {
public:
    explicit state(bot_dependencies parts);
    ~state();
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    void start();
    void stop();
    void join();
    [[nodiscard]] std::string username() const;

private:
    using time_point = deadline::clock::time_point;
    struct row_to_say {
        chats::waiting_message said;
        next_step step;
    };
    using task = std::variant<row_to_say, ephemeral_message>;

    // The outbox.
    void keep(const std::stop_token& stop);
    [[nodiscard]] bool introduce(const std::stop_token& stop);
    void keep_hold(time_point now);
    void begin_term();
    void end_term();
    void look();
    void dispatch(std::vector<chats::waiting_message> rows, time_point now);
    void dispatch_ephemeral_messages(const std::set<chats::chat_id>& were_busy, time_point now);
    void rest(const std::stop_token& stop, time_point until);

    // The update poller.
    void listen(const std::stop_token& stop);
    [[nodiscard]] std::optional<std::stop_token> await_term(const std::stop_token& stop);
    void listen_for(update_handler& with, const std::stop_token& term);
    [[nodiscard]] api_answer ask_for_updates(
        const chats::update_position& from, const std::stop_token& term);
    [[nodiscard]] bool handle_all(
        update_handler& with, const std::vector<update>& updates, const std::stop_token& term);
    [[nodiscard]] bool handle_one(update_handler& with, const update& one);
    void back_off(const api_answer& answer, int failures, const std::stop_token& term);

    // Speakers.
    void speak(const std::stop_token& stop);
    void finish(const task& what, const send_result& how, time_point now);
    void free_lane_of(const task& what);  ///< Under the mutex.

    // Any.
    void add_ephemeral_message(ephemeral_message what);
    [[nodiscard]] chats::bot_lease holding() const;

    bot_dependencies parts_;
    bot_api api_;
    message_sender message_sender_;

    mutable std::mutex mutex_;
    std::condition_variable_any outbox_woken_;
    std::condition_variable_any speakers_woken_;
    std::condition_variable_any update_poller_woken_;
    // All of these under the mutex.
    bot_identity self_;
    std::optional<std::stop_source> term_;  ///< While this daemon has the bot.
    time_point held_until_{};               ///< Nobody else speaks for the bot until then.
    bool is_woken_ = true;
    std::deque<task> tasks_;
    std::deque<ephemeral_message> ephemeral_messages_;
    per_chat_throttle throttle_;
    std::map<chats::message_row_id, time_point> shown_at_;  ///< Of messages that are edited.

    // The outbox's own.
    time_point hold_at_{};
    bool has_rows_ = true;
    bool is_hold_told_ = false;
    // The update poller's own.
    std::int64_t failed_at_ = 0;
    int consecutive_failures_ = 0;
    bool is_trouble_told_ = false;

    std::stop_source speaking_;  ///< Of requests that say something: they may end by themselves.
    std::jthread outbox_;
    std::jthread update_poller_;
    std::vector<std::jthread> speakers_;
    std::jthread ender_;
};

}  // namespace reelsd::bot
