#pragma once

#include "bot_api.hpp"
#include "delivery.hpp"
#include "per_chat_throttle.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::bot {

/// Something that is said from memory: it may be lost with the daemon. Answers to buttons, which
/// nobody waits for after some seconds, and to strangers.
struct ephemeral_message {
    std::optional<chats::chat_id> chat;  ///< Whose turn it takes; nothing: nobody's.
    std::string method;
    json parameters;
    int tries = 0;
    deadline::clock::time_point not_before{};
};

/// More waiting than this are dropped: a crowd of strangers must not fill the memory.
inline constexpr std::size_t ephemeral_messages_max = 1000;
inline constexpr int ephemeral_tries_max = 5;

/// Says things, one request each, and notes in the rows what has been said. Blocking; safe from
/// any thread.
class message_sender {
public:
    /// Both outlive the message sender.
    message_sender(bot_dependencies& parts, const bot_api& api) : parts_{parts}, api_{api} {}

    /// `step` is not `nothing`.
    [[nodiscard]] send_result say(
        const chats::waiting_message& said, const next_step& step, const std::stop_token& stop);
    [[nodiscard]] send_result say(const ephemeral_message& what, const std::stop_token& stop);

private:
    /// What a message is to hold.
    struct text_to_say {
        std::vector<std::string> parts;  ///< HTML, 1 or more.
        json buttons;                    ///< Below the last part; null: none.
    };

    result<text_to_say> text_for(const chats::waiting_message& said, const next_step& step);
    result<text_to_say> text_of_end(const chats::waiting_message& said, const next_step& step);
    send_result say_text(
        const chats::waiting_message& said, const next_step& step, const std::stop_token& stop);
    send_result say_document(const chats::waiting_message& said, const std::stop_token& stop);
    api_answer ask(
        const chats::waiting_message& said, const next_step& step, const text_to_say& text,
        const std::stop_token& stop) const;
    send_result note_sent(
        const chats::waiting_message& said, const next_step& step, std::size_t parts,
        const api_answer& answer, const std::stop_token& stop);
    send_result note_failure(
        const chats::waiting_message& said, const next_step& step, const api_answer& answer,
        const std::stop_token& stop);
    send_result forget(const chats::waiting_message& said, const std::stop_token& stop);
    send_result note_progress(const chats::waiting_message& said, chats::message_progress now);

    bot_dependencies& parts_;
    const bot_api& api_;
};

}  // namespace reelsd::bot
