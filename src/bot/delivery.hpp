#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/domain/chats/bot_store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

/// Decides what is sent to a chat, and when. Pure except for the throttle's own state.
namespace reelsd::bot {

/// The state of a job that its message shows, as stored in the row: "pending",
/// "processing:download", "done", "error" or "gone".
[[nodiscard]] std::string render_state(const chats::waiting_message& row);

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

/// The outcome of an attempt to send a message.
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
    void take(chats::chat_id chat);
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

}  // namespace reelsd::bot
