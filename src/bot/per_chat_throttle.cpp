#include "per_chat_throttle.hpp"

#include "api_answer.hpp"

namespace reelsd::bot {

bool per_chat_throttle::is_free(chats::chat_id chat, time_point now) const {
    const auto found = throttle_.find(chat);
    return found == throttle_.end() || (!found->second.is_taken && now >= found->second.not_before);
}

void per_chat_throttle::take(chats::chat_id chat) {
    throttle_[chat].is_taken = true;
}

void per_chat_throttle::finish(
    chats::chat_id chat, const send_result& how, time_point now, double dice) {
    auto& chat_state = throttle_[chat];
    chat_state.is_taken = false;
    switch (how.what) {
        case send_result::outcome::done: throttle_.erase(chat); return;
        case send_result::outcome::wait: chat_state.not_before = now + how.wait; return;
        case send_result::outcome::failed: break;
    }
    ++chat_state.failures;
    chat_state.not_before = now + backoff(chat_state.failures, dice);
}

std::set<chats::chat_id> per_chat_throttle::busy(time_point now) const {
    std::set<chats::chat_id> chats;
    for (const auto& [chat, chat_state] : throttle_) {
        if (chat_state.is_taken || now < chat_state.not_before) chats.insert(chat);
    }
    return chats;
}

}  // namespace reelsd::bot
