#include "delivery.hpp"

namespace reelsd::bot {
namespace {

using kind = next_step::kind;

next_step next_of_status(const chats::waiting_message& said) {
    auto rendered_state = render_state(said);
    if (said.shown != rendered_state) {
        return {
            .what = said.message ? kind::edit : kind::send,
            .rendered_state = std::move(rendered_state),
            .part = 0};
    }
    if (!is_final(rendered_state)) return {};
    return {
        .what = kind::send, .rendered_state = std::move(rendered_state), .part = said.parts_sent};
}

}  // namespace

std::string render_state(const chats::waiting_message& said) {
    if (!said.job_status) return "gone";
    std::string rendered_state{name_of(*said.job_status)};
    const bool is_in_work = *said.job_status == jobs::job_status::processing;
    if (is_in_work && !said.step.empty()) rendered_state.append(":").append(said.step);
    return rendered_state;
}

bool is_final(std::string_view rendered_state) noexcept {
    return rendered_state == "done" || rendered_state == "error" || rendered_state == "gone";
}

next_step next_step_of(const chats::waiting_message& said) {
    const bool is_accounts = said.what.kind != chats::message_kind::reply;
    if (is_accounts && !said.is_linked) return {.what = kind::drop};
    switch (said.what.kind) {
        case chats::message_kind::reply: return {.what = kind::send, .part = said.parts_sent};
        case chats::message_kind::document: return {.what = kind::document};
        case chats::message_kind::status: break;
    }
    return next_of_status(said);
}

}  // namespace reelsd::bot
