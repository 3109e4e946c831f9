#include "update_handler.hpp"

#include "bot_api.hpp"
#include "bot_state.hpp"
#include "message_templates.hpp"
#include "video_upload.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/loop_call.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

/// A stranger is told once a minute; whoever writes more often has read it.
constexpr auto refusal_interval = 60s;
/// Wrong codes that a chat may send within `guess_window`. A code has 59 bits: this is for the
/// nerves of whoever reads the log.
constexpr int wrong_guesses_max = 5;
constexpr auto guess_window = 15min;
/// Chats that are remembered for that; a crowd beyond it is not answered for a while.
constexpr std::size_t chats_remembered_max = 10'000;

/// `message`, where an answer has to name it: in a private chat its position is enough.
std::optional<std::int64_t> shown_reply_to(chats::chat_kind kind, std::int64_t message) {
    if (kind == chats::chat_kind::private_chat || message == 0) return std::nullopt;
    return message;
}

chats::message_target answer_target(const incoming_message& said) {
    return {
        .chat = said.chat,
        .message_thread = said.message_thread,
        .reply_to = shown_reply_to(said.kind, said.message)};
}

/// Of a submission: the same for each version of a message, and when an update comes again.
std::string name_of_link(std::int64_t update, const incoming_message& said, std::size_t number) {
    if (said.message == 0) return fmt::format("{}-{}", update, number);
    return fmt::format("{}-{}-{}", said.chat.value, said.message, number);
}

}  // namespace

update_handler::update_handler(
    bot_dependencies& parts, const bot_api& api, bot_identity self, std::stop_token stop,
    std::function<void(ephemeral_message)> send_ephemeral)
    : parts_{parts},
      api_{api},
      self_{std::move(self)},
      stop_{std::move(stop)},
      send_ephemeral_{std::move(send_ephemeral)} {}

result<void> update_handler::handle(const update& what) {
    if (const auto* const said = std::get_if<incoming_message>(&what.what)) {
        return handle_message(what.id, *said);
    }
    if (const auto* const pressed = std::get_if<pressed_button>(&what.what)) {
        return handle_button(what.id, *pressed);
    }
    not_noted_ = what.id;
    return {};
}

result<void> update_handler::note_rest() {
    if (!not_noted_) return {};
    return finish(*not_noted_, {});
}

result<void> update_handler::pass_over(const update& what) {
    return finish(what.id, {});
}

result<void> update_handler::handle_message(std::int64_t update, const incoming_message& said) {
    if (said.moved_to) {
        const auto moved =
            wait_for(parts_.loop, parts_.chats.move(said.chat, *said.moved_to, soon()), soon());
        if (!moved) return moved.error();
        return finish(update, {});
    }
    const auto wanted = parse_command(said, self_);
    // Edits are reported for other changes than of the text as well: a command must not run twice.
    const bool is_ignored = said.edited_at && !std::holds_alternative<commands::links>(wanted);
    if (std::holds_alternative<commands::nothing>(wanted) || is_ignored) {
        not_noted_ = update;
        return {};
    }
    const auto caller = wait_for(parts_.loop, parts_.chats.find_caller(said.chat, soon()), soon());
    if (!caller) return caller.error();
    if (!*caller) return handle_stranger(update, said, wanted);
    const request from{.update = update, .said = said, .account = (*caller)->account};
    return handle_caller(from, (*caller)->requests_per_minute, wanted);
}

result<void> update_handler::handle_stranger(
    std::int64_t update, const incoming_message& said, const command& wanted) {
    if (const auto* const code = std::get_if<commands::code>(&wanted)) {
        return link(update, said, code->text);
    }
    const auto* const given = std::get_if<commands::command>(&wanted);
    const bool brings_code =
        given && (given->name == "start" || given->name == "link") && !given->rest.empty();
    if (brings_code) return link(update, said, given->rest);
    if (may_refuse(said.chat)) {
        send_ephemeral_to(said, wording::refusal_of_strangers(parts_.origin()));
    }
    not_noted_ = update;
    return {};
}

result<void> update_handler::handle_caller(
    const request& from, std::optional<int> requests_per_minute, const command& wanted) {
    if (const auto* const links = std::get_if<commands::links>(&wanted)) {
        return handle_links(from, *links);  // Submissions have a limit of their own.
    }
    if (const auto* const video = std::get_if<commands::video>(&wanted)) {
        return handle_video(from, *video);
    }
    const int limit = requests_per_minute.value_or(parts_.requests_per_minute);
    if (const int wait = rate_.take(from.account, limit, deadline::clock::now()); wait > 0) {
        send_ephemeral_to(from.said, wording::too_fast(limit, wait));
        not_noted_ = from.update;
        return {};
    }
    if (const auto* const given = std::get_if<commands::command>(&wanted)) {
        return handle_command(from, *given);
    }
    if (const auto* const code = std::get_if<commands::code>(&wanted)) {
        return link(from.update, from.said, code->text);
    }
    return reply(from, wording::hint());
}

result<void> update_handler::handle_command(const request& from, const commands::command& wanted) {
    const bool brings_code = wanted.name == "start" || wanted.name == "link";
    if (brings_code && !wanted.rest.empty()) return link(from.update, from.said, wanted.rest);
    if (wanted.name == "delete") {
        const auto job = reel_number(wanted.rest);
        if (!job) return reply(from, wording::number_wanted("delete"));
        return remove_reel(from, *job);
    }
    if (wanted.name == "status") return show(from, wanted.rest);
    if (wanted.name == "unlink") {
        const auto untied = wait_for(
            parts_.loop,
            parts_.bots.unlink(
                holding(),
                from.update,
                reply_to(from.said, from.account, wording::untied()),
                soon()),
            soon());
        if (!untied) return untied.error();
        parts_.log.info("a chat is untied", {{"account", from.account.value}});
        not_noted_.reset();
        return {};
    }
    const auto text = told(from, wanted);
    if (!text) return text.error();
    return reply(from, *text);
}

result<void> update_handler::handle_links(const request& from, const commands::links& wanted) {
    retried_ = std::exchange(last_update_, from.update) == from.update ? from.update : 0;
    std::vector<chats::new_message> messages;
    rich_text refusals;
    const auto refuse = [&refusals](const rich_text& text) {
        if (!refusals.empty()) refusals.push_back(plain("\n\n"));
        refusals.insert(refusals.end(), text.begin(), text.end());
    };
    for (std::size_t number = 0; number < wanted.urls.size(); ++number) {
        const auto& url = wanted.urls[number];
        const auto made = submit_link(from, url, number);
        if (!made) return made.error();
        if (made->is_known) continue;
        if (!made->job) {
            refuse(wording::refused_link(url, made->refusal));
            continue;
        }
        messages.push_back(status_of(from, *made->job));
    }
    if (wanted.left_out > 0) refuse(wording::left_out_links(wanted.left_out));
    if (!refusals.empty()) messages.push_back(reply_to(from.said, from.account, refusals));
    return finish(from.update, std::move(messages));
}

result<void> update_handler::handle_video(const request& from, const commands::video& wanted) {
    video_submission made{
        .account = from.account,
        .idempotency_key = fmt::format(
            "telegram-{}-{}-{}-video", self_.id, from.said.chat.value, wanted.file.message),
        .file = wanted.file};
    const auto post =
        std::find_if(wanted.urls.begin(), wanted.urls.end(), [](const std::string& url) {
            return platform::parse_link(url).has_value();
        });
    if (post != wanted.urls.end()) made.url = *post;
    auto caption = wanted.caption;
    std::erase(caption, '\0');  // No text of the database has it.
    const bool is_link_alone =
        made.url && caption.find_first_of(ascii_whitespace) == std::string::npos;
    if (!caption.empty() && !is_link_alone) made.caption = std::move(caption);
    const auto outcome = video_upload{parts_, api_, stop_}.submit(made);
    if (!outcome) return outcome.error();
    if (!outcome->job) return reply(from, outcome->refusal);
    return finish(from.update, {status_of(from, *outcome->job)});
}

result<update_handler::submitted> update_handler::submit_link(
    const request& from, const std::string& url, std::size_t number) {
    auto made = submit(from.account, url, false, name_of_link(from.update, from.said, number));
    if (!made || !from.said.edited_at) return made;
    if (made->is_key_of_another_link) {
        // The earlier version had another link in this place.
        return submit(from.account, url, false, fmt::format("{}-{}", from.update, number));
    }
    if (!made->is_repeated) return made;
    // Submitted by the earlier version; or by this one, and the daemon died before it was noted.
    const auto job =
        wait_for(parts_.loop, parts_.jobs.find(from.account, made->job.value(), soon()), soon());
    if (!job) return job.error();
    made->is_known = *job && is_of_earlier_version((*job)->created_at, from);
    return made;
}

bool update_handler::is_of_earlier_version(time_point created_at, const request& from) const {
    const auto edited_at = *from.said.edited_at;
    if (created_at < edited_at) return true;
    // Edits are dated to the second. Within it, only an update that comes again is in doubt: the
    // message is better answered twice than not at all.
    const bool may_be_again = created_at < started_at_ || retried_ == from.update;
    return created_at < edited_at + 1s && !may_be_again;
}

result<update_handler::submitted> update_handler::submit(
    account_id account, const std::string& url, bool fresh, std::string_view name) {
    const auto link = platform::parse_link(url);
    if (!link) return submitted{.refusal = link.error().detail()};
    jobs::submission wanted{
        .url = url,
        .fresh = fresh,
        .costs_money = parts_.analysis_costs_money && !link->is_test(),
        .queue = true,
        // Whoever dies before the update is noted finds the same job again.
        .idempotency_key = fmt::format("telegram-{}-{}", self_.id, name)};
    const auto decision = wait_for(
        parts_.loop, parts_.submission_batcher.submit(account, std::move(wanted), soon()), soon());
    if (!decision) return decision.error();
    using outcome = jobs::submission_result::outcome;
    if (decision->decided == outcome::accepted) {
        boost::asio::post(parts_.loop, parts_.job_accepted);
    }
    if (decision->decided == outcome::accepted || decision->decided == outcome::repeated) {
        return submitted{
            .job = decision->job, .is_repeated = decision->decided == outcome::repeated};
    }
    return submitted{
        .refusal = jobs::refusal_text(*decision),
        .is_key_of_another_link = decision->decided == outcome::key_of_another_link};
}

result<void> update_handler::link(
    std::int64_t update, const incoming_message& said, std::string_view code_text) {
    const auto hash = chats::hash_of_chat_code(code_text);
    if (!hash || !may_guess(said.chat)) {
        // Who tries a code hears that it is wrong, as often as one may guess.
        if (!may_guess(said.chat)) {
            if (may_refuse(said.chat)) send_ephemeral_to(said, wording::too_many_codes());
        } else {
            note_wrong_guess(said.chat);
            send_ephemeral_to(said, wording::wrong_code(parts_.origin()));
        }
        not_noted_ = update;
        return {};
    }
    chats::link_request wanted{
        .target = answer_target(said),
        .kind = said.kind,
        .name = said.chat_name,
        .code = *hash,
        .answer = to_messages(wording::welcome(said.kind, self_.username)).front()};
    const auto outcome = wait_for(
        parts_.loop, parts_.bots.link(holding(), update, std::move(wanted), soon()), soon());
    if (!outcome) return outcome.error();
    not_noted_.reset();
    switch (*outcome) {
        case chats::link_outcome::linked: parts_.log.info("a chat is tied"); break;
        case chats::link_outcome::wrong_code:
            note_wrong_guess(said.chat);
            send_ephemeral_to(said, wording::wrong_code(parts_.origin()));
            break;
        case chats::link_outcome::too_many:
            send_ephemeral_to(said, wording::too_many_chats());
            break;
        case chats::link_outcome::stale: break;
    }
    return {};
}

result<void> update_handler::remove_reel(const request& from, job_id job) {
    const auto outcome = wait_for(
        parts_.loop,
        parts_.bots.remove_job(
            holding(),
            from.update,
            job,
            reply_to(from.said, from.account, wording::deleted(job)),
            reply_to(from.said, from.account, wording::no_such_reel(job)),
            soon()),
        soon());
    if (!outcome) return outcome.error();
    not_noted_.reset();
    if (*outcome == chats::deletion_outcome::deleted) {
        boost::asio::post(parts_.loop, [removed = parts_.job_removed, job] { removed(job); });
    }
    return {};
}

result<void> update_handler::handle_button(std::int64_t update, const pressed_button& pressed) {
    std::optional<chats::chat_caller> caller;
    if (pressed.chat) {
        const auto found =
            wait_for(parts_.loop, parts_.chats.find_caller(*pressed.chat, soon()), soon());
        if (!found) return found.error();
        caller = *found;
    }
    std::string text = "This chat is not tied to an account.";
    if (caller) {
        auto done = press(update, pressed, caller->account);
        if (!done) return done.error();
        text = *std::move(done);
    } else {
        not_noted_ = update;
    }
    json parameters{{"callback_query_id", pressed.query}};
    if (!text.empty()) parameters["text"] = std::move(text);
    send_ephemeral_(
        {.chat = std::nullopt,
         .method = "answerCallbackQuery",
         .parameters = std::move(parameters)});
    return {};
}

/// What the person reads who pressed it.
result<std::string> update_handler::press(
    std::int64_t update, const pressed_button& pressed, account_id account) {
    std::vector<chats::new_message> messages;
    std::string text = "This reel is not there any more.";
    const auto wanted = parse_button(pressed.data);
    std::optional<jobs::job> job;
    if (wanted) {
        const auto found =
            wait_for(parts_.loop, parts_.jobs.find(account, wanted->job, soon()), soon());
        if (!found) return found.error();
        job = *found;
    }
    chats::new_message made{
        .target =
            {.chat = *pressed.chat,
             .message_thread = pressed.message_thread,
             .reply_to = shown_reply_to(pressed.kind, pressed.message)},
        .account = account};
    if (job && wanted->what == button_command::kind::file) {
        const bool is_done = job->status == jobs::job_status::done;
        text = is_done ? "" : "There is no result.";
        made.kind = chats::message_kind::document;
        made.job = job->id;
        if (is_done) messages.push_back(std::move(made));
    } else if (job && job->url.starts_with(jobs::upload_scheme)) {
        text = wording::video_wanted_again();
    } else if (job) {
        const auto again = submit(account, job->url, true, fmt::format("{}-0", update));
        if (!again) return again.error();
        text = again->refusal;
        made.kind = chats::message_kind::status;
        made.job = again->job;
        if (again->job) messages.push_back(std::move(made));
    }
    const auto done = finish(update, std::move(messages));
    if (!done) return done.error();
    return text;
}

result<void> update_handler::finish(std::int64_t update, std::vector<chats::new_message> messages) {
    const auto done = wait_for(
        parts_.loop,
        parts_.bots.finish_update(holding(), update, std::move(messages), soon()),
        soon());
    if (!done) return done.error();
    not_noted_.reset();
    return {};
}

result<void> update_handler::reply(const request& from, const rich_text& text) {
    return finish(from.update, {reply_to(from.said, from.account, text)});
}

chats::new_message update_handler::reply_to(
    const incoming_message& said, account_id account, const rich_text& text) const {
    return {
        .target = answer_target(said),
        .account = account,
        .kind = chats::message_kind::reply,
        .job = std::nullopt,
        .parts = to_messages(text)};
}

chats::new_message update_handler::status_of(const request& from, job_id job) {
    return {
        .target = answer_target(from.said),
        .account = from.account,
        .kind = chats::message_kind::status,
        .job = job};
}

void update_handler::send_ephemeral_to(const incoming_message& said, const rich_text& text) {
    send_ephemeral_(
        {.chat = said.chat,
         .method = "sendMessage",
         .parameters = message_parameters(answer_target(said), to_messages(text).front())});
}

chats::bot_lease update_handler::holding() const {
    return {.bot = chats::bot_id{self_.id}, .holder = parts_.run};
}

bool update_handler::may_refuse(chats::chat_id chat) {
    const auto now = deadline::clock::now();
    const auto known = refused_at_.find(chat);
    if (known != refused_at_.end() && now - known->second < refusal_interval) return false;
    if (refused_at_.size() >= chats_remembered_max) {
        std::erase_if(
            refused_at_, [now](const auto& one) { return now - one.second >= refusal_interval; });
        if (refused_at_.size() >= chats_remembered_max) return false;
    }
    refused_at_[chat] = now;
    return true;
}

bool update_handler::may_guess(chats::chat_id chat) {
    const auto known = guesses_.find(chat);
    if (known == guesses_.end()) return guesses_.size() < chats_remembered_max;
    if (deadline::clock::now() - known->second.since < guess_window) {
        return known->second.wrong < wrong_guesses_max;
    }
    guesses_.erase(known);
    return true;
}

void update_handler::note_wrong_guess(chats::chat_id chat) {
    const auto now = deadline::clock::now();
    if (guesses_.size() >= chats_remembered_max) {
        std::erase_if(
            guesses_, [now](const auto& one) { return now - one.second.since >= guess_window; });
    }
    if (guesses_.size() >= chats_remembered_max) return;
    auto& one = guesses_.try_emplace(chat, guesses{.wrong = 0, .since = now}).first->second;
    ++one.wrong;
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
