#include "delivery.hpp"

namespace reelsd::bot {
namespace {

using kind = next_step::kind;

next_step next_of_status(const chats::waiting_message& said) {
    auto face = face_of(said);
    if (said.shown != face) {
        return {.what = said.message ? kind::edit : kind::send, .face = std::move(face), .part = 0};
    }
    if (!is_final(face)) return {};
    return {.what = kind::send, .face = std::move(face), .part = said.parts_sent};
}

}  // namespace

std::string face_of(const chats::waiting_message& said) {
    if (!said.job_status) return "gone";
    std::string face{name_of(*said.job_status)};
    const bool is_in_work = *said.job_status == jobs::job_status::processing;
    if (is_in_work && !said.step.empty()) face.append(":").append(said.step);
    return face;
}

bool is_final(std::string_view face) noexcept {
    return face == "done" || face == "error" || face == "gone";
}

next_step next_step_of(const chats::waiting_message& said) {
    const bool is_accounts = said.what.kind != chats::message_kind::reply;
    if (is_accounts && !said.is_tied) return {.what = kind::drop};
    switch (said.what.kind) {
        case chats::message_kind::reply: return {.what = kind::send, .part = said.parts_sent};
        case chats::message_kind::document: return {.what = kind::document};
        case chats::message_kind::status: break;
    }
    return next_of_status(said);
}

}  // namespace reelsd::bot
