#include "delivery.hpp"

#include "bot_api.hpp"

namespace reelsd::bot {
namespace {

using kind = next_step::kind;

next_step next_of_status(const chats::waiting_message& row) {
    auto state = render_state(row);
    if (row.shown != state) {
        const auto what = row.message ? kind::edit : kind::send;
        return {.what = what, .rendered_state = std::move(state), .part = 0};
    }
    if (!is_final(state)) return {};
    return {.what = kind::send, .rendered_state = std::move(state), .part = row.parts_sent};
}

}  // namespace

std::string render_state(const chats::waiting_message& row) {
    if (!row.job_status) return "gone";
    std::string state{name_of(*row.job_status)};
    const bool is_processing = *row.job_status == jobs::job_status::processing;
    if (is_processing && !row.step.empty()) state.append(":").append(row.step);
    return state;
}

bool is_final(std::string_view rendered_state) noexcept {
    return rendered_state == "done" || rendered_state == "error" || rendered_state == "gone";
}

next_step next_step_of(const chats::waiting_message& row) {
    const bool is_accounts = row.what.kind != chats::message_kind::reply;
    if (is_accounts && !row.is_linked) return {.what = kind::drop};
    switch (row.what.kind) {
        case chats::message_kind::reply: return {.what = kind::send, .part = row.parts_sent};
        case chats::message_kind::document: return {.what = kind::document};
        case chats::message_kind::frames: return {.what = kind::frames};
        case chats::message_kind::question: return {.what = kind::answer};
        case chats::message_kind::status: break;
    }
    return next_of_status(row);
}

bool per_chat_throttle::is_free(chats::chat_id chat, time_point now) const {
    const auto known = chats_.find(chat);
    return known == chats_.end() || known->second.is_free(now);
}

void per_chat_throttle::take(chats::chat_id chat) {
    chats_[chat].is_taken = true;
}

void per_chat_throttle::finish(
    chats::chat_id chat, const send_result& sent, time_point now, double jitter) {
    auto& state = chats_[chat];
    state.is_taken = false;
    switch (sent.what) {
        case send_result::outcome::done: chats_.erase(chat); return;
        case send_result::outcome::rate_limited: state.not_before = now + sent.wait; return;
        case send_result::outcome::failed: break;
    }
    ++state.failures;
    state.not_before = now + backoff(state.failures, jitter);
}

std::set<chats::chat_id> per_chat_throttle::busy(time_point now) const {
    std::set<chats::chat_id> busy_chats;
    for (const auto& [chat, state] : chats_) {
        if (!state.is_free(now)) busy_chats.insert(chat);
    }
    return busy_chats;
}

}  // namespace reelsd::bot
