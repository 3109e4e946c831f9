#pragma once

#include "bot_api.hpp"
#include "bot_part.hpp"
#include "rich_text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::bot {

/// Whether the job has ended.
[[nodiscard]] bool is_final(std::string_view rendered_state) noexcept;

struct next_step {
    enum class kind : std::uint8_t {
        nothing,   ///< The message is up to date.
        send,      ///< A new message: part `part`.
        edit,      ///< Edit the message: part `part`.
        document,  ///< A file.
        frames,    ///< Pictures.
        answer,    ///< The answer to a question, which is then sent as a reply.
        drop,      ///< The chat must not receive it any more.
    };
    kind what = kind::nothing;
    std::string rendered_state = {};  ///< The new state, if the message shows a job.
    int part = 0;
};

/// The parts of a reply or a summary are sent in order. A job's message is sent once and then
/// edited. Messages for an account that the chat is no longer linked to are dropped.
[[nodiscard]] next_step next_step_of(const chats::waiting_message& row);

struct send_result {
    enum class outcome : std::uint8_t { done, rate_limited, failed };
    outcome what = outcome::done;
    std::chrono::seconds wait{0};  ///< Minimum, if rate-limited.
};

/// Limits each chat to one message at a time, with requested waits and back-off after failures.
/// Chats do not delay each other.
class per_chat_throttle {
public:
    using time_point = deadline::clock::time_point;

    [[nodiscard]] bool is_free(chats::chat_id chat, time_point now) const;
    void take(chats::chat_id chat) { chats_[chat].is_taken = true; }
    /// `jitter` from 0 to 1: see backoff().
    void finish(chats::chat_id chat, const send_result& sent, time_point now, double jitter);

    /// The chats that are not free.
    [[nodiscard]] std::set<chats::chat_id> busy(time_point now) const;
    [[nodiscard]] std::size_t size() const noexcept { return chats_.size(); }

private:
    struct chat_state {
        bool is_taken = false;
        time_point not_before{};
        int failures = 0;

        [[nodiscard]] bool is_free(time_point now) const { return !is_taken && now >= not_before; }
    };
    std::map<chats::chat_id, chat_state> chats_;
};

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
class message_sender : bot_part {
public:
    using bot_part::bot_part;

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
    /// Repeats the attempt for some minutes, unless the pictures are gone. Then a reply replaces
    /// them.
    send_result frames_failed(const chats::waiting_message& row, const error& why);
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
    /// Sends a text instead.
    send_result replace(const chats::waiting_message& row, const rich_text& text);
    send_result store_progress(
        const chats::waiting_message& row, const chats::message_progress& progress);
};

[[nodiscard]] json message_parameters(const chats::message_target& target, std::string_view html);

}  // namespace reelsd::bot
