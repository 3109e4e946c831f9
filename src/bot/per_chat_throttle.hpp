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

/// Which chat may be send result to when: one thing at a time, not before a wait that was asked for
/// is over, and less and less often while it fails. A pause of one chat is none of another. Pure
/// but for its own state: the clock is the caller's.
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
