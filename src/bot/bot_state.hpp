#pragma once

#include "bot_api.hpp"
#include "clerk.hpp"
#include "delivery.hpp"
#include "lanes.hpp"
#include "speaker.hpp"
#include "wish.hpp"
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

/// The bot's threads and what they share. One (`keeper`) finds out who we are, holds the bot, looks
/// what is to be said and hands it out; one (`listener`) asks for updates and has the clerk handle
/// them; some (`speakers`) say things. Only the keeper takes lanes.
class bot::state {
public:
    explicit state(bot_parts parts);
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
    using task = std::variant<row_to_say, aside>;

    // The keeper.
    void keep(const std::stop_token& stop);
    [[nodiscard]] bool introduce(const std::stop_token& stop);
    void keep_hold(time_point now);
    void begin_term();
    void end_term();
    void look();
    void hand_out(std::vector<chats::waiting_message> rows, time_point now);
    void hand_out_asides(const std::set<chats::chat_id>& were_busy, time_point now);
    void rest(const std::stop_token& stop, time_point until);

    // The listener.
    void listen(const std::stop_token& stop);
    [[nodiscard]] std::optional<std::stop_token> await_term(const std::stop_token& stop);
    void listen_for(clerk& with, const std::stop_token& term);
    [[nodiscard]] api_answer ask_for_updates(
        const chats::update_position& from, const std::stop_token& term);
    [[nodiscard]] bool handle_all(
        clerk& with, const std::vector<update>& updates, const std::stop_token& term);
    [[nodiscard]] bool handle_one(clerk& with, const update& one);
    void bear_failure(const api_answer& answer, int failures, const std::stop_token& term);

    // Speakers.
    void speak(const std::stop_token& stop);
    void finish(const task& what, const spoken& how, time_point now);
    void free_lane_of(const task& what);  ///< Under the mutex.

    // Any.
    void add_aside(aside what);
    [[nodiscard]] chats::bot_holding holding() const;

    bot_parts parts_;
    bot_api api_;
    speaker speaker_;

    mutable std::mutex mutex_;
    std::condition_variable_any keeper_woken_;
    std::condition_variable_any speakers_woken_;
    std::condition_variable_any listener_woken_;
    // All of these under the mutex.
    bot_identity self_;
    std::optional<std::stop_source> term_;  ///< While this daemon has the bot.
    time_point held_until_{};               ///< Nobody else speaks for the bot until then.
    bool is_woken_ = true;
    std::deque<task> tasks_;
    std::deque<aside> asides_;
    lanes lanes_;
    std::map<chats::said_id, time_point> shown_at_;  ///< Of messages that are edited.

    // The keeper's own.
    time_point hold_at_{};
    bool has_rows_ = true;
    bool is_hold_told_ = false;
    // The listener's own.
    std::int64_t stumbled_at_ = 0;
    int stumbles_ = 0;
    bool is_trouble_told_ = false;

    std::stop_source speaking_;  ///< Of requests that say something: they may end by themselves.
    std::jthread keeper_;
    std::jthread listener_;
    std::vector<std::jthread> speakers_;
    std::jthread ender_;
};

}  // namespace reelsd::bot
