#include "message_sender.hpp"

#include "bot_state.hpp"
#include "command.hpp"
#include "message_templates.hpp"
#include "summary.hpp"
#include "update_handler.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

/// One message. A server that needs longer is asked again, and may then say it twice.
constexpr auto say_time_max = 60s;
/// A megabyte over a poor line.
constexpr auto document_time_max = 60s;

/// What has been said must not be said again because the database is away for a moment.
constexpr int tries_max = 5;

constexpr send_result said_it{};
constexpr send_result failed{.what = send_result::outcome::failed};

json button(const char* text, button_command::kind what, job_id job) {
    return {{"text", text}, {"callback_data", button_data({.what = what, .job = job})}};
}

/// Null when there is none. The file of an upload is not kept: only a link can be analysed again.
json buttons_below(const jobs::job& job) {
    auto row = json::array();
    const bool has_link = !job.url.starts_with(jobs::upload_scheme);
    if (has_link && (job.result || job.is_retryable)) {
        row.push_back(button("Again", button_command::kind::again, job.id));
    }
    if (job.result) row.push_back(button("JSON", button_command::kind::file, job.id));
    if (row.empty()) return nullptr;
    return {{"inline_keyboard", json::array({row})}};
}

}  // namespace

send_result message_sender::say(
    const chats::waiting_message& said, const next_step& step, const std::stop_token& stop) {
    switch (step.what) {
        case next_step::kind::nothing: return said_it;
        case next_step::kind::drop: return forget(said, stop);
        case next_step::kind::document: return say_document(said, stop);
        case next_step::kind::send:
        case next_step::kind::edit: break;
    }
    return say_text(said, step, stop);
}

send_result message_sender::say(const ephemeral_message& what, const std::stop_token& stop) {
    const auto answer =
        api_.call(what.method, what.parameters, deadline::after(say_time_max), stop);
    if (answer.what == outcome::wait) {
        return {.what = send_result::outcome::wait, .wait = answer.retry_after};
    }
    if (answer.what == outcome::unreachable || answer.what == outcome::bad_token) return failed;
    if (answer.what != outcome::done) {
        // A button's question that is too old, a person who has left.
        parts_.log.debug(
            "chat: an aside was not taken",
            {{"method", what.method}, {"reason", answer.description}});
    }
    return said_it;
}

send_result message_sender::say_text(
    const chats::waiting_message& said, const next_step& step, const std::stop_token& stop) {
    const auto text = text_for(said, step);
    if (!text) {
        if (text.error().code() == errc::not_found) return said_it;  // Deleted since: look again.
        parts_.log.warning("chat: nothing to say yet", {{"reason", text.error().to_string()}});
        return failed;
    }
    const auto parts = text->parts.size();
    if (static_cast<std::size_t>(step.part) >= parts) return forget(said, stop);
    const auto answer = ask(said, step, *text, stop);
    if (answer.what == outcome::done || answer.what == outcome::unchanged) {
        return note_sent(said, step, parts, answer, stop);
    }
    return note_failure(said, step, answer, stop);
}

api_answer message_sender::ask(
    const chats::waiting_message& said, const next_step& step, const text_to_say& text,
    const std::stop_token& stop) const {
    const bool is_edit = step.what == next_step::kind::edit;
    const auto part = static_cast<std::size_t>(step.part);
    // What goes into an edited message has its place already.
    const auto& target = said.what.target;
    auto parameters = message_parameters(
        is_edit ? chats::message_target{.chat = target.chat} : target, text.parts[part]);
    if (is_edit) parameters["message_id"] = said.message.value();
    if (!text.buttons.is_null() && part + 1 == text.parts.size()) {
        parameters["reply_markup"] = text.buttons;
    }
    const auto* const method = is_edit ? "editMessageText" : "sendMessage";
    const auto by = deadline::after(say_time_max);
    auto answer = api_.call(method, parameters, by, stop);
    const bool is_unclear = answer.what == outcome::refused;
    if (answer.what != outcome::bad_markup && !is_unclear) return answer;
    // Better without its shape than not at all: older servers know less.
    parts_.log.warning(
        "chat: a message was refused; sent once more without its shape",
        {{"reason", answer.description}});
    if (answer.what == outcome::bad_markup) {
        parameters["text"] = without_tags(text.parts[part]);
        parameters.erase("parse_mode");
    }
    parameters.erase("link_preview_options");
    parameters.erase("reply_parameters");
    parameters.erase("message_thread_id");  // The topic may be closed, or deleted.
    return api_.call(method, parameters, by, stop);
}

send_result message_sender::note_sent(
    const chats::waiting_message& said, const next_step& step, std::size_t parts,
    const api_answer& answer, const std::stop_token& stop) {
    const bool is_job = said.what.kind == chats::message_kind::status;
    const bool ends = !is_job || is_final(step.rendered_state);
    const int sent = ends ? step.part + 1 : 0;
    if (ends && static_cast<std::size_t>(sent) == parts) return forget(said, stop);
    chats::message_progress now{
        .message = said.message, .shown = step.rendered_state, .parts_sent = sent};
    if (is_job && step.what == next_step::kind::send && step.part == 0 &&
        answer.value.is_object()) {
        const auto id = answer.value.find("message_id");
        if (id != answer.value.end() && id->is_number_integer()) {
            now.message = id->get<std::int64_t>();
        }
    }
    for (int tries = 1;; ++tries) {
        const auto noted = note_progress(said, now);
        const bool is_last = tries == tries_max || stop.stop_requested();
        if (noted.what == send_result::outcome::done || is_last) return noted;
    }
}

send_result message_sender::note_failure(
    const chats::waiting_message& said, const next_step& step, const api_answer& answer,
    const std::stop_token& stop) {
    const bool is_edit = step.what == next_step::kind::edit;
    const auto tell = [&](std::string_view what) {
        parts_.log.warning(
            what, {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
    };
    switch (answer.what) {
        case outcome::wait: return {.what = send_result::outcome::wait, .wait = answer.retry_after};
        case outcome::unreachable:
        case outcome::bad_token:
        case outcome::another_asks:
            parts_.log.debug("chat: to be said again", {{"reason", answer.description}});
            return failed;
        case outcome::moved: {
            const auto moved = wait_for(
                parts_.loop,
                parts_.chats.move(said.what.target.chat, answer.moved_to.value(), soon()),
                soon());
            return moved ? said_it : failed;
        }
        case outcome::lost_chat: {
            tell("chat: nothing reaches it, what was to be said there is dropped");
            const auto forgotten = wait_for(
                parts_.loop, parts_.bots.forget_chat(said.what.target.chat, soon()), soon());
            return forgotten ? said_it : failed;
        }
        default: break;
    }
    if (is_edit) {
        // Deleted, too old, or not ours any more: a new one takes its place.
        parts_.log.debug("chat: a message is gone", {{"reason", answer.description}});
        return note_progress(
            said, {.message = std::nullopt, .shown = "", .parts_sent = said.parts_sent});
    }
    tell("chat: a message was refused and is dropped");
    return forget(said, stop);
}

result<message_sender::text_to_say> message_sender::text_for(
    const chats::waiting_message& said, const next_step& step) {
    if (said.what.kind == chats::message_kind::reply) {
        return text_to_say{.parts = said.what.parts, .buttons = nullptr};
    }
    if (is_final(step.rendered_state)) return text_of_end(said, step);
    const auto text = wording::progress(said.what.job.value(), said.job_status.value(), said.step);
    return text_to_say{.parts = to_messages(text), .buttons = nullptr};
}

result<message_sender::text_to_say> message_sender::text_of_end(
    const chats::waiting_message& said, const next_step& step) {
    const auto id = said.what.job.value();
    if (step.rendered_state == "gone") {
        return text_to_say{.parts = to_messages(wording::gone(id)), .buttons = nullptr};
    }
    const auto job = wait_for(parts_.loop, parts_.jobs.find(said.what.account, id, soon()), soon());
    if (!job) return job.error();
    if (!*job) return error{errc::not_found};
    const auto& found = **job;
    if (!found.result) {
        const auto now = std::chrono::time_point_cast<std::chrono::microseconds>(
            std::chrono::system_clock::now());
        return text_to_say{
            .parts = to_messages(wording::failure(found, now)), .buttons = buttons_below(found)};
    }
    const auto used =
        wait_for(parts_.loop, parts_.usage.read_reel(said.what.account, id, soon()), soon());
    if (!used) return used.error();
    if (!*used) return error{errc::not_found};
    return text_to_say{
        .parts = to_messages(summary_of(id, *found.result, (*used)->cost_usd)),
        .buttons = buttons_below(found)};
}

send_result message_sender::say_document(
    const chats::waiting_message& said, const std::stop_token& stop) {
    const auto id = said.what.job.value();
    const auto job = wait_for(parts_.loop, parts_.jobs.find(said.what.account, id, soon()), soon());
    if (!job) return failed;
    if (!*job || !(*job)->result) return forget(said, stop);
    auto text = job_view(**job);
    // As people read it.
    const auto view = parse_foreign_json(text);
    if (!view.is_discarded()) text = view.dump(2, ' ', false, json::error_handler_t::replace);
    const outgoing_file file{
        .target = said.what.target,
        .name = fmt::format("reel-{}.json", id.value),
        .content = std::move(text)};
    const auto answer = api_.send_document(file, deadline::after(document_time_max), stop);
    if (answer.what == outcome::done) return forget(said, stop);
    return note_failure(said, {.what = next_step::kind::document}, answer, stop);
}

send_result message_sender::forget(
    const chats::waiting_message& said, const std::stop_token& stop) {
    for (int tries = 1;; ++tries) {
        const auto forgotten = wait_for(parts_.loop, parts_.bots.forget(said.id, soon()), soon());
        if (forgotten) return said_it;
        if (tries == tries_max || stop.stop_requested()) return failed;
    }
}

send_result message_sender::note_progress(
    const chats::waiting_message& said, chats::message_progress now) {
    const auto noted =
        wait_for(parts_.loop, parts_.bots.note_progress(said.id, std::move(now), soon()), soon());
    return noted ? said_it : failed;
}

}  // namespace reelsd::bot
