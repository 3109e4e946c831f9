#pragma once

#include "bot_api.hpp"
#include "delivery.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::bot {

/// A message that is not stored and may be lost with the daemon: answers to buttons, and to
/// unlinked chats.
struct ephemeral_message {
    std::optional<chats::chat_id> chat;  ///< Chat whose throttle applies; empty: none.
    std::string method;
    json parameters;
    int attempts = 0;
    deadline::clock::time_point not_before{};
};

/// Sends messages and stores their progress in the rows. Blocking; thread-safe.
class message_sender {
public:
    /// Both outlive the message sender.
    message_sender(bot_dependencies& dependencies, const bot_api& api)
        : dependencies_{dependencies}, api_{api} {}

    /// `step` is not `nothing`.
    [[nodiscard]] send_result send(
        const chats::waiting_message& row, const next_step& step, const std::stop_token& stop);
    [[nodiscard]] send_result send(const ephemeral_message& message, const std::stop_token& stop);

private:
    struct content {
        std::vector<std::string> parts;  ///< HTML, 1 or more.
        json buttons = nullptr;          ///< Below the last part; null: none.
    };

    result<content> content_of(const chats::waiting_message& row, const next_step& step);
    result<content> final_content_of(const chats::waiting_message& row, const next_step& step);
    send_result send_text(
        const chats::waiting_message& row, const next_step& step, const std::stop_token& stop);
    /// Asks a model and stores its answer as a reply.
    send_result answer_question(const chats::waiting_message& row, const std::stop_token& stop);
    send_result send_document(const chats::waiting_message& row, const std::stop_token& stop);
    send_result send_frames(const chats::waiting_message& row, const std::stop_token& stop);
    /// Sends files, which ends the message.
    send_result send_files(
        const chats::waiting_message& row, const next_step& step, const file_message& files,
        const std::stop_token& stop);
    api_answer call(
        const chats::waiting_message& row, const next_step& step, const content& text,
        const std::stop_token& stop) const;
    send_result store_sent(
        const chats::waiting_message& row, const next_step& step, std::size_t parts,
        const api_answer& answer, const std::stop_token& stop);
    send_result handle_failure(
        const chats::waiting_message& row, const next_step& step, const api_answer& answer,
        const std::stop_token& stop);
    send_result forget(const chats::waiting_message& row, const std::stop_token& stop);
    send_result store_progress(
        const chats::waiting_message& row, const chats::message_progress& progress);

    bot_dependencies& dependencies_;
    const bot_api& api_;
};

/// The parameters of sendMessage.
[[nodiscard]] json message_parameters(const chats::message_target& target, std::string_view html);

}  // namespace reelsd::bot
