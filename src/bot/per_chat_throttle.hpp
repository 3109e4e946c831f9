#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <set>

namespace reelsd::bot {

/// How an attempt to say something ended, for the chat that it was for.
struct send_result {
    enum class outcome : std::uint8_t { done, wait, failed };
    outcome what = outcome::done;
    std::chrono::seconds wait{0};  ///< At least, when the server asks for it.
};

/// When the next message of each chat may be sent: one at a time, not before a requested wait is
/// over, and with back-off while sending fails. A pause of one chat does not delay another. Pure
/// except for its own state: the caller has the clock.
class per_chat_throttle {
public:
    using time_point = deadline::clock::time_point;

    [[nodiscard]] bool is_free(chats::chat_id chat, time_point now) const;
    void take(chats::chat_id chat);
    /// `dice` from 0 to 1: see backoff().
    void finish(chats::chat_id chat, const send_result& how, time_point now, double dice);

    /// The chats that are not free: a message is being sent, or the chat has to wait.
    [[nodiscard]] std::set<chats::chat_id> busy(time_point now) const;
    void forget_all() { throttle_.clear(); }
    [[nodiscard]] std::size_t size() const noexcept { return throttle_.size(); }

private:
    struct chat_state {
        bool is_taken = false;
        time_point not_before{};
        int failures = 0;
    };
    std::map<chats::chat_id, chat_state> throttle_;
};

}  // namespace reelsd::bot
