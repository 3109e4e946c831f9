#include "message_sender.hpp"

#include "message_templates.hpp"
#include "update.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

/// Of one request. A slower server may receive the message twice.
constexpr auto send_time_max = 60s;

constexpr auto typing_time_max = 3s;
/// The answerer gives up after a minute, and its queries take some seconds.
constexpr auto answer_time_max = 90s;

/// A query and one request to the media store, which give up earlier.
constexpr auto pictures_time_max = 20s;

/// Attempts to store that a message was sent, so that it is not sent again.
constexpr int store_attempts_max = 5;

constexpr send_result done{};
constexpr send_result failed{.what = send_result::outcome::failed};

json button(const char* text, button_command::kind what, job_id job) {
    return {{"text", text}, {"callback_data", button_data({.what = what, .job = job})}};
}

const json& key_moments_of(const json& document) {
    return member(member(document, "content"), "key_moments");
}

bool has_frames(std::string_view result) {
    const auto document = parse_foreign_json(result);
    return std::ranges::any_of(
        key_moments_of(document), [](const json& moment) { return moment.contains("frame"); });
}

struct read_outcome {
    jobs::frame_set frames = {};
    /// Why the media store does not return them; not_found: it never will.
    std::optional<error> failure = {};
};

awaitable<read_outcome> read_frames(const bot_dependencies& dependencies, job_id job) {
    read_outcome read;
    read.frames = co_await dependencies.media.frames_of(job, soon());
    auto& frames = read.frames;
    if (!frames.object) co_return read;
    if (!dependencies.read_object) {
        read.failure = error{errc::not_found, "the pictures are in another media store"};
        co_return read;
    }
    const auto bytes = std::accumulate(frames.sizes.begin(), frames.sizes.end(), std::int64_t{0});
    jobs::object_range whole{.object = *frames.object, .offset = 0, .bytes = bytes};
    auto content = co_await dependencies.read_object(std::move(whole));
    if (!content) {
        read.failure = content.error();
    } else if (std::ssize(*content) != bytes) {
        read.failure = error{errc::not_found, "the object has another size"};
    } else {
        frames.jpegs = *std::move(content);
    }
    co_return read;
}

/// An album of the first pictures, each with its key moment; one picture alone is a photo. Source:
/// Bot API, sendMediaGroup.
file_message album_of(
    const chats::message_target& target, const jobs::frame_set& frames, std::string_view result) {
    constexpr std::size_t album_size_max = 10;
    constexpr std::size_t caption_units_max = 1024;
    const auto document = parse_foreign_json(result);
    const auto& moments = key_moments_of(document);
    file_message album{.method = "sendMediaGroup", .target = target, .files = {}};
    auto media = json::array();
    auto begin = frames.jpegs.begin();
    for (std::size_t at = 0; at < std::min(frames.numbers.size(), album_size_max); ++at) {
        const auto end = begin + frames.sizes[at];
        const auto number = static_cast<std::size_t>(frames.numbers[at]);
        const auto text =
            number < moments.size() ? templates::key_moment(moments[number]) : rich_text{};
        const auto field = fmt::format("picture{}", at);
        const auto caption = to_messages(text, caption_units_max, 1);
        media.push_back(
            {{"type", "photo"},
             {"media", "attach://" + field},
             {"caption", caption.front()},
             {"parse_mode", "HTML"}});
        std::string jpeg;
        std::transform(begin, end, std::back_inserter(jpeg), [](std::byte octet) {
            return static_cast<char>(octet);
        });
        album.files.push_back(
            {.field = field,
             .name = field + ".jpg",
             .content_type = "image/jpeg",
             .content = std::move(jpeg)});
        begin = end;
    }
    if (album.files.size() != 1) {
        album.parameters.emplace_back("media", media.dump());
        return album;
    }
    album.method = "sendPhoto";
    album.files.front().field = "photo";
    album.parameters.emplace_back("caption", media[0]["caption"]);
    album.parameters.emplace_back("parse_mode", "HTML");
    return album;
}

/// Null if there are none. Uploads cannot be analysed again, because their file is deleted.
json buttons_below(const jobs::job& job) {
    auto row = json::array();
    const bool has_link = !job.url.starts_with(jobs::upload_scheme);
    if (has_link && (job.result || job.is_retryable)) {
        row.push_back(button("Again", button_command::kind::again, job.id));
    }
    if (job.result && has_frames(*job.result)) {
        row.push_back(button("Pictures", button_command::kind::frames, job.id));
    }
    if (job.result) row.push_back(button("JSON", button_command::kind::file, job.id));
    if (row.empty()) return nullptr;
    return {{"inline_keyboard", json::array({row})}};
}

/// Best effort.
void show_typing(
    const bot_api& api, const chats::message_target& target, const std::stop_token& stop) {
    json parameters{{"chat_id", target.chat.value}, {"action", "typing"}};
    if (target.message_thread) parameters["message_thread_id"] = *target.message_thread;
    static_cast<void>(
        api.call("sendChatAction", parameters, deadline::after(typing_time_max), stop));
}

/// Asks a model and waits for its answer. A call in progress at a stop may still be paid.
result<questions::outcome> ask(
    const bot_dependencies& dependencies, const chats::new_message& asked,
    const std::stop_token& stop) {
    std::stop_source given_up;
    const std::stop_callback on_stop{stop, [&given_up] { given_up.request_stop(); }};
    auto reply = wait_for(
        dependencies.loop,
        dependencies.answer(
            asked.account, {.text = asked.parts.front(), .reel = asked.job}, given_up.get_token()),
        deadline::after(answer_time_max),
        stop);
    if (!reply) given_up.request_stop();
    return reply;
}

/// The state of a job that its message shows, as stored in the row: "pending",
/// "processing:download", "done", "error" or "gone".
std::string render_state(const chats::waiting_message& row) {
    if (!row.job_status) return "gone";
    std::string state{name_of(*row.job_status)};
    const bool is_processing = *row.job_status == jobs::job_status::processing;
    if (is_processing && !row.step.empty()) state.append(":").append(row.step);
    return state;
}

next_step next_of_status(const chats::waiting_message& row) {
    auto state = render_state(row);
    if (row.shown != state) {
        const auto what = row.message ? next_step::kind::edit : next_step::kind::send;
        return {.what = what, .rendered_state = std::move(state), .part = 0};
    }
    if (!is_final(state)) return {};
    return {
        .what = next_step::kind::send, .rendered_state = std::move(state), .part = row.parts_sent};
}

}  // namespace

bool is_final(std::string_view rendered_state) noexcept {
    return rendered_state == "done" || rendered_state == "error" || rendered_state == "gone";
}

next_step next_step_of(const chats::waiting_message& row) {
    const bool is_accounts = row.what.kind != chats::message_kind::reply;
    if (is_accounts && !row.is_linked) return {.what = next_step::kind::drop};
    switch (row.what.kind) {
        case chats::message_kind::reply:
            return {.what = next_step::kind::send, .part = row.parts_sent};
        case chats::message_kind::document: return {.what = next_step::kind::document};
        case chats::message_kind::frames: return {.what = next_step::kind::frames};
        case chats::message_kind::question: return {.what = next_step::kind::answer};
        case chats::message_kind::status: break;
    }
    return next_of_status(row);
}

bool per_chat_throttle::is_free(chats::chat_id chat, time_point now) const {
    const auto known = chats_.find(chat);
    return known == chats_.end() || known->second.is_free(now);
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

send_result message_sender::send(
    const chats::waiting_message& row, const next_step& step, const std::stop_token& stop) {
    switch (step.what) {
        case next_step::kind::nothing: return done;
        case next_step::kind::drop: return forget(row, stop);
        case next_step::kind::document: return send_document(row, stop);
        case next_step::kind::frames: return send_frames(row, stop);
        case next_step::kind::answer: return answer_question(row, stop);
        case next_step::kind::send:
        case next_step::kind::edit: break;
    }
    return send_text(row, step, stop);
}

send_result message_sender::send(const ephemeral_message& message, const std::stop_token& stop) {
    const auto answer =
        api_.call(message.method, message.parameters, deadline::after(send_time_max), stop);
    if (answer.what == outcome::rate_limited) {
        return {.what = send_result::outcome::rate_limited, .wait = answer.retry_after};
    }
    if (answer.what == outcome::unreachable || answer.what == outcome::bad_token) return failed;
    if (answer.what != outcome::done) {
        // For example, the press of the button is too old.
        dependencies_.log.debug(
            "chat: ephemeral message rejected",
            {{"method", message.method}, {"reason", answer.description}});
    }
    return done;
}

send_result message_sender::send_text(
    const chats::waiting_message& row, const next_step& step, const std::stop_token& stop) {
    const auto text = content_of(row, step);
    if (!text) {
        if (text.error().code() == errc::not_found) return done;  // Deleted since: read it again.
        dependencies_.log.warning(
            "chat: reading the text of a message failed", {{"reason", text.error().to_string()}});
        return failed;
    }
    const auto parts = text->parts.size();
    if (static_cast<std::size_t>(step.part) >= parts) return forget(row, stop);
    const auto answer = call(row, step, *text, stop);
    if (answer.what == outcome::done || answer.what == outcome::unchanged) {
        return store_sent(row, step, parts, answer, stop);
    }
    return handle_failure(row, step, answer, stop);
}

api_answer message_sender::call(
    const chats::waiting_message& row, const next_step& step, const content& text,
    const std::stop_token& stop) const {
    const bool is_edit = step.what == next_step::kind::edit;
    const auto part = static_cast<std::size_t>(step.part);
    // An edited message keeps its thread and reply.
    const auto& target = row.what.target;
    auto parameters = message_parameters(
        is_edit ? chats::message_target{.chat = target.chat} : target, text.parts[part]);
    if (is_edit) parameters["message_id"] = row.message.value();
    if (!text.buttons.is_null() && part + 1 == text.parts.size()) {
        parameters["reply_markup"] = text.buttons;
    }
    const auto* const method = is_edit ? "editMessageText" : "sendMessage";
    const auto by = deadline::after(send_time_max);
    auto answer = api_.call(method, parameters, by, stop);
    if (answer.what != outcome::bad_markup && answer.what != outcome::rejected) return answer;
    // Older servers support fewer parameters.
    dependencies_.log.warning(
        "chat: message rejected; retrying without formatting", {{"reason", answer.description}});
    if (answer.what == outcome::bad_markup) {
        parameters["text"] = without_tags(text.parts[part]);
        parameters.erase("parse_mode");
    }
    parameters.erase("link_preview_options");
    parameters.erase("reply_parameters");
    parameters.erase("message_thread_id");  // The topic may be closed or deleted.
    return api_.call(method, parameters, by, stop);
}

send_result message_sender::store_sent(
    const chats::waiting_message& row, const next_step& step, std::size_t parts,
    const api_answer& answer, const std::stop_token& stop) {
    const bool is_job = row.what.kind == chats::message_kind::status;
    const bool ends = !is_job || is_final(step.rendered_state);
    const int sent = ends ? step.part + 1 : 0;
    if (ends && static_cast<std::size_t>(sent) == parts) return forget(row, stop);
    chats::message_progress progress{
        .message = row.message, .shown = step.rendered_state, .parts_sent = sent};
    if (is_job && step.what == next_step::kind::send && step.part == 0) {
        if (const auto id = integer_of(answer.value, "message_id")) progress.message = id;
    }
    for (int attempts = 1;; ++attempts) {
        const auto stored = store_progress(row, progress);
        const bool is_last = attempts == store_attempts_max || stop.stop_requested();
        if (stored.what == send_result::outcome::done || is_last) return stored;
    }
}

send_result message_sender::handle_failure(
    const chats::waiting_message& row, const next_step& step, const api_answer& answer,
    const std::stop_token& stop) {
    const auto chat = row.what.target.chat;
    switch (answer.what) {
        case outcome::rate_limited:
            return {.what = send_result::outcome::rate_limited, .wait = answer.retry_after};
        case outcome::unreachable:
        case outcome::bad_token:
        case outcome::conflict:
            dependencies_.log.debug(
                "chat: message will be retried", {{"reason", answer.description}});
            return failed;
        case outcome::moved: {
            const auto moved =
                query(dependencies_.chats.move(chat, answer.moved_to.value(), soon()));
            return moved ? done : failed;
        }
        case outcome::chat_unreachable: {
            dependencies_.log.warning(
                "chat: chat unreachable, its messages are dropped",
                {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
            const auto forgotten = query(dependencies_.bots.forget_chat(chat, soon()));
            return forgotten ? done : failed;
        }
        default: break;
    }
    if (step.what == next_step::kind::edit) {
        // Deleted or too old: a new message replaces it.
        dependencies_.log.debug(
            "chat: edited message does not exist", {{"reason", answer.description}});
        return store_progress(
            row, {.message = std::nullopt, .shown = "", .parts_sent = row.parts_sent});
    }
    dependencies_.log.warning(
        "chat: message rejected and dropped",
        {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
    const bool is_text = step.what == next_step::kind::send;
    return is_text ? forget(row, stop) : replace(row, templates::rejected_file(answer.description));
}

result<message_sender::content> message_sender::content_of(
    const chats::waiting_message& row, const next_step& step) {
    if (row.what.kind == chats::message_kind::reply) return content{.parts = row.what.parts};
    if (is_final(step.rendered_state)) return final_content_of(row, step);
    const auto text = templates::progress(row.what.job.value(), row.job_status.value(), row.step);
    return content{.parts = to_messages(text)};
}

result<message_sender::content> message_sender::final_content_of(
    const chats::waiting_message& row, const next_step& step) {
    const auto id = row.what.job.value();
    if (step.rendered_state == "gone") {
        return content{.parts = to_messages(templates::gone(id))};
    }
    const auto reel = query(dependencies_.jobs.find(row.what.account, id, soon()));
    if (!reel) return reel.error();
    if (!*reel) return error{errc::not_found};
    const auto& job = **reel;
    if (!job.result) {
        return content{
            .parts = to_messages(templates::failure(job, wall_clock_now())),
            .buttons = buttons_below(job)};
    }
    const auto used = query(dependencies_.usage.read_reel(row.what.account, id, soon()));
    if (!used) return used.error();
    if (!*used) return error{errc::not_found};
    return content{
        .parts = to_messages(templates::finished_reel(id, *job.result, **used)),
        .buttons = buttons_below(job)};
}

send_result message_sender::answer_question(
    const chats::waiting_message& row, const std::stop_token& stop) {
    show_typing(api_, row.what.target, stop);
    // Before the model is called: a question is not paid again after a crash.
    const auto begun = query(dependencies_.bots.replace_by_reply(
        row.id, to_messages(rich_text{plain(templates::interrupted_question)}), soon()));
    if (!begun) return failed;
    const auto reply = ask(dependencies_, row.what, stop);
    if (!reply) {
        if (reply.error().code() != errc::cancelled) {
            dependencies_.log.warning(
                "chat: answering a question failed", {{"reason", reply.error().to_string()}});
        }
        return done;  // The row tells the user to ask again.
    }
    const auto* const refusal = std::get_if<questions::refusal>(&*reply);
    const auto text = refusal ? templates::refused_question(*refusal)
                              : templates::answer(std::get<questions::answer>(*reply));
    // The model is paid: its answer must not be lost.
    for (int attempts = 1;; ++attempts) {
        const auto stored =
            query(dependencies_.bots.answer_question(row.id, to_messages(text), soon()));
        if (stored) return done;
        if (attempts == store_attempts_max || stop.stop_requested()) return failed;
    }
}

send_result message_sender::send_document(
    const chats::waiting_message& row, const std::stop_token& stop) {
    const auto id = row.what.job.value();
    const auto job = query(dependencies_.jobs.find(row.what.account, id, soon()));
    if (!job) return failed;
    if (!*job || !(*job)->result) return forget(row, stop);
    auto text = job_view(**job);
    // Indented, for people.
    const auto view = parse_foreign_json(text);
    if (!view.is_discarded()) text = view.dump(2, ' ', false, json::error_handler_t::replace);
    file_message message{.method = "sendDocument", .target = row.what.target, .files = {}};
    message.files.push_back(
        {.field = "document",
         .name = fmt::format("reel-{}.json", id.value),
         .content_type = "application/json",
         .content = std::move(text)});
    return send_files(row, {.what = next_step::kind::document}, message, stop);
}

send_result message_sender::send_frames(
    const chats::waiting_message& row, const std::stop_token& stop) {
    const auto id = row.what.job.value();
    const auto job = query(dependencies_.jobs.find(row.what.account, id, soon()));
    if (!job) return failed;
    if (!*job || !(*job)->result) return forget(row, stop);
    const auto read = query(read_frames(dependencies_, id), deadline::after(pictures_time_max));
    if (!read) return frames_failed(row, read.error());
    if (read->failure) return frames_failed(row, *read->failure);
    const auto& frames = read->frames;
    if (frames.numbers.empty()) return forget(row, stop);
    return send_files(
        row,
        {.what = next_step::kind::frames},
        album_of(row.what.target, frames, *(*job)->result),
        stop);
}

send_result message_sender::frames_failed(const chats::waiting_message& row, const error& why) {
    dependencies_.log.warning(
        "chat: reading pictures failed",
        {{"job", row.what.job.value().value}, {"reason", why.to_string()}});
    // Later messages of the chat wait for this one.
    if (why.code() != errc::not_found && !row.is_overdue) return failed;
    return replace(row, {plain(templates::pictures_unavailable)});
}

send_result message_sender::send_files(
    const chats::waiting_message& row, const next_step& step, const file_message& files,
    const std::stop_token& stop) {
    auto answer = api_.send_files(files, deadline::after(send_time_max), stop);
    if (answer.what == outcome::done) return forget(row, stop);
    // Files may be forbidden where text is allowed. The text that replaces them finds out.
    if (answer.what == outcome::chat_unreachable) answer.what = outcome::rejected;
    return handle_failure(row, step, answer, stop);
}

send_result message_sender::forget(const chats::waiting_message& row, const std::stop_token& stop) {
    for (int attempts = 1;; ++attempts) {
        if (query(dependencies_.bots.forget(row.id, soon()))) return done;
        if (attempts == store_attempts_max || stop.stop_requested()) return failed;
    }
}

send_result message_sender::replace(const chats::waiting_message& row, const rich_text& text) {
    const auto replaced =
        query(dependencies_.bots.replace_by_reply(row.id, to_messages(text), soon()));
    return replaced ? done : failed;
}

send_result message_sender::store_progress(
    const chats::waiting_message& row, const chats::message_progress& progress) {
    const auto stored = query(dependencies_.bots.note_progress(row.id, progress, soon()));
    return stored ? done : failed;
}

json message_parameters(const chats::message_target& target, std::string_view html) {
    json parameters{
        {"chat_id", target.chat.value},
        {"text", html},
        {"parse_mode", "HTML"},
        {"link_preview_options", {{"is_disabled", true}}}};
    if (target.message_thread) parameters["message_thread_id"] = *target.message_thread;
    if (target.reply_to) parameters["reply_parameters"] = reply_parameters(*target.reply_to);
    return parameters;
}

}  // namespace reelsd::bot
