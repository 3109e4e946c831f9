#include "lanes.hpp"

#include "api_answer.hpp"

namespace reelsd::bot {

bool lanes::is_free(chats::chat_id chat, time_point now) const {
    const auto found = lanes_.find(chat);
    return found == lanes_.end() || (!found->second.is_taken && now >= found->second.not_before);
}

void lanes::take(chats::chat_id chat) {
    lanes_[chat].is_taken = true;
}

void lanes::finish(chats::chat_id chat, const spoken& how, time_point now, double dice) {
    auto& lane = lanes_[chat];
    lane.is_taken = false;
    switch (how.what) {
        case spoken::outcome::done: lanes_.erase(chat); return;
        case spoken::outcome::wait: lane.not_before = now + how.wait; return;
        case spoken::outcome::failed: break;
    }
    ++lane.failures;
    lane.not_before = now + backoff(lane.failures, dice);
}

std::set<chats::chat_id> lanes::busy(time_point now) const {
    std::set<chats::chat_id> chats;
    for (const auto& [chat, lane] : lanes_) {
        if (lane.is_taken || now < lane.not_before) chats.insert(chat);
    }
    return chats;
}

}  // namespace reelsd::bot
