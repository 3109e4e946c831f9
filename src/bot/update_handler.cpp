#include "update_handler.hpp"

#include "message_templates.hpp"
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/model/passage_finder.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;

/// Interval of refusals in one unlinked chat.
constexpr auto refusal_interval = 60s;
/// Wrong codes that a chat may send within `guess_window`. Codes have 59 bits; this limits the log.
constexpr int wrong_guesses_max = 5;
constexpr auto guess_window = 15min;
/// Bounds both tables. Further chats are not answered for a while.
constexpr std::size_t chats_remembered_max = 10'000;

/// A search may wait for a remote embedder.
constexpr auto search_time_max = 10s;
constexpr int listed_max = 10;
constexpr int hits_max = 5;
/// As of the API's `q`.
constexpr std::size_t query_characters_max = 500;

/// In a private chat, the answer need not name its message.
std::optional<std::int64_t> shown_reply_to(chats::chat_kind kind, std::int64_t message) {
    if (kind == chats::chat_kind::private_chat || message == 0) return std::nullopt;
    return message;
}

chats::message_target answer_target(const incoming_message& message) {
    return {
        .chat = message.chat,
        .message_thread = message.message_thread,
        .reply_to = shown_reply_to(message.kind, message.id)};
}

/// The same for all versions of a message and for a repeated update.
std::string name_of_link(std::int64_t update, const incoming_message& message, std::size_t number) {
    if (message.id == 0) return fmt::format("{}-{}", update, number);
    return fmt::format("{}-{}-{}", message.chat.value, message.id, number);
}

using near_search = std::function<awaitable<std::vector<job_id>>(account_id, std::string)>;

/// Takes copies, because the caller may give up before the loop starts it.
awaitable<std::vector<jobs::search_hit>> find_reels(
    jobs::reel_search search, near_search near_reels, account_id account,
    jobs::search_request request, deadline by) {
    if (near_reels) request.near = co_await near_reels(account, request.text);
    co_return co_await search.find(account, std::move(request), by);
}

awaitable<templates::usage_summary> read_usage(
    usage::usage_store store, account_id account, deadline by) {
    const auto day = today();
    const usage::period this_month{
        .from = day.year() / day.month() / std::chrono::day{1}, .to = std::nullopt};
    templates::usage_summary summary;
    auto total = co_await store.read(account, {}, by);
    summary.total = std::move(total.total);
    auto month = co_await store.read(account, this_month, by);
    summary.this_month = std::move(month.total);
    summary.budget = co_await store.read_budget(account, by);
    co_return summary;
}

templates::found_reel found_from(const jobs::search_hit& hit, const model::passage_finder& finder) {
    templates::found_reel reel{
        .job = hit.id,
        .author = hit.brief.author,
        .summary = hit.brief.summary,
        .passage = {},
        .seconds = std::nullopt};
    const auto passages = model::passages_from(hit.passages);
    if (!passages) return reel;
    if (const auto* const best = finder.best_of(*passages)) {
        reel.passage = best->text;
        reel.seconds = best->seconds;
    }
    return reel;
}

}  // namespace

result<void> update_handler::handle(const update& received) {
    if (const auto* const message = std::get_if<incoming_message>(&received.what)) {
        return handle_message(received.id, *message);
    }
    if (const auto* const button = std::get_if<pressed_button>(&received.what)) {
        return handle_button(received.id, *button);
    }
    not_noted_ = received.id;
    return {};
}

result<void> update_handler::note_rest() {
    if (!not_noted_) return {};
    return finish(*not_noted_, {});
}

result<void> update_handler::handle_message(std::int64_t update, const incoming_message& message) {
    if (message.moved_to) {
        const auto moved = query(dependencies_.chats.move(message.chat, *message.moved_to, soon()));
        if (!moved) return moved.error();
        return finish(update, {});
    }
    const auto parsed = parse_command(message, self_);
    // Edits are also reported for other changes than of the text: commands must not run twice.
    const bool is_ignored = message.edited_at && !std::holds_alternative<commands::links>(parsed);
    if (std::holds_alternative<commands::none>(parsed) || is_ignored) {
        not_noted_ = update;
        return {};
    }
    const auto caller = query(dependencies_.chats.find_caller(message.chat, soon()));
    if (!caller) return caller.error();
    if (!*caller) return handle_unlinked(update, message, parsed);
    const request from{.update = update, .message = message, .account = (*caller)->account};
    return handle_caller(from, (*caller)->requests_per_minute, parsed);
}

result<void> update_handler::handle_unlinked(
    std::int64_t update, const incoming_message& message, const command& parsed) {
    if (const auto* const code = std::get_if<commands::code>(&parsed)) {
        return link(update, message, code->text);
    }
    const auto* const slash = std::get_if<commands::slash>(&parsed);
    const bool has_code =
        slash && (slash->name == "start" || slash->name == "link") && !slash->rest.empty();
    if (has_code) return link(update, message, slash->rest);
    if (may_refuse(message.chat)) {
        send_ephemeral_to(message, templates::link_required(dependencies_.origin()));
    }
    not_noted_ = update;
    return {};
}

result<void> update_handler::handle_caller(
    const request& from, std::optional<int> requests_per_minute, const command& parsed) {
    if (const auto* const links = std::get_if<commands::links>(&parsed)) {
        return handle_links(from, *links);  // Submissions have a separate limit.
    }
    if (const auto* const video = std::get_if<commands::video>(&parsed)) {
        return handle_video(from, *video);
    }
    const int limit = requests_per_minute.value_or(dependencies_.requests_per_minute);
    if (const int wait = rate_.take(from.account, limit, deadline::clock::now()); wait > 0) {
        send_ephemeral_to(from.message, templates::too_fast(limit, wait));
        not_noted_ = from.update;
        return {};
    }
    if (const auto* const slash = std::get_if<commands::slash>(&parsed)) {
        return handle_slash(from, *slash);
    }
    if (const auto* const code = std::get_if<commands::code>(&parsed)) {
        return link(from.update, from.message, code->text);
    }
    return reply(from, templates::hint());
}

result<void> update_handler::handle_slash(const request& from, const commands::slash& slash) {
    const bool has_code = (slash.name == "start" || slash.name == "link") && !slash.rest.empty();
    if (has_code) return link(from.update, from.message, slash.rest);
    if (slash.name == "delete") return remove_reel(from, slash.rest);
    if (slash.name == "status") return show_status(from, slash.rest);
    if (slash.name == "unlink") return unlink(from);
    if (slash.name == "ask") return ask(from, slash.rest);
    const auto text = answer_to(from, slash);
    if (!text) return text.error();
    return reply(from, *text);
}

result<void> update_handler::handle_links(const request& from, const commands::links& links) {
    retried_ = std::exchange(last_update_, from.update) == from.update ? from.update : 0;
    std::vector<chats::new_message> messages;
    rich_text refusals;
    const auto refuse = [&refusals](const rich_text& text) {
        if (!refusals.empty()) refusals.push_back(plain("\n\n"));
        refusals.insert(refusals.end(), text.begin(), text.end());
    };
    for (std::size_t number = 0; number < links.urls.size(); ++number) {
        const auto& url = links.urls[number];
        const auto submission = submit_link(from, url, number);
        if (!submission) return submission.error();
        if (submission->is_known) continue;
        if (!submission->job) {
            refuse(templates::refused_link(url, submission->refusal));
            continue;
        }
        messages.push_back(status_of(from, *submission->job));
    }
    if (links.left_out > 0) refuse(templates::left_out_links(links.left_out));
    if (!refusals.empty()) messages.push_back(reply_to(from, refusals));
    return finish(from.update, std::move(messages));
}

result<void> update_handler::handle_video(const request& from, const commands::video& video) {
    video_submission submission{
        .account = from.account,
        .idempotency_key = fmt::format(
            "telegram-{}-{}-{}-video", self_.id, from.message.chat.value, video.file.message_id),
        .file = video.file};
    if (from.message.id != video.file.message_id) {
        submission.retry_key = fmt::format("{}-{}", submission.idempotency_key, from.message.id);
    }
    const auto is_post = [](const std::string& url) {
        return platform::parse_link(url).has_value();
    };
    const auto post = std::find_if(video.urls.begin(), video.urls.end(), is_post);
    if (post != video.urls.end()) submission.url = *post;
    auto caption = video.caption;
    std::erase(caption, '\0');  // PostgreSQL's text cannot contain it.
    const bool is_only_link =
        submission.url && caption.find_first_of(ascii_whitespace) == std::string::npos;
    if (!caption.empty() && !is_only_link) submission.caption = std::move(caption);
    const auto outcome = submit_video(dependencies_, api_, submission, stop_);
    if (!outcome) return outcome.error();
    if (!outcome->job) return reply(from, outcome->refusal);
    return finish(from.update, {status_of(from, *outcome->job)});
}

result<update_handler::submitted> update_handler::submit_link(
    const request& from, const std::string& url, std::size_t number) {
    const auto name = name_of_link(from.update, from.message, number);
    auto submission = submit(from.account, url, name);
    if (!submission || !from.message.edited_at) return submission;
    if (submission->is_key_of_another_link) {
        // The earlier version had another link at this position.
        return submit(from.account, url, fmt::format("{}-{}", from.update, number));
    }
    if (!submission->is_repeated) return submission;
    // Submitted by the earlier version, or by this one before the daemon died.
    const auto job = query(dependencies_.jobs.find(from.account, submission->job.value(), soon()));
    if (!job) return job.error();
    submission->is_known = *job && is_of_earlier_version((*job)->created_at, from);
    return submission;
}

bool update_handler::is_of_earlier_version(time_point created_at, const request& from) const {
    const auto edited_at = *from.message.edited_at;
    if (created_at < edited_at) return true;
    // Times of edits are whole seconds. Within that second, only a repeated update is ambiguous;
    // then the message is answered, possibly twice.
    const bool may_be_repeated = created_at < started_at_ || retried_ == from.update;
    return created_at < edited_at + 1s && !may_be_repeated;
}

result<update_handler::submitted> update_handler::submit(
    account_id account, const std::string& url, std::string_view name, const jobs::job* earlier) {
    const auto link = platform::parse_link(url);
    if (!link) return submitted{.refusal = link.error().detail()};
    auto options = model::analysis_options_from(earlier ? earlier->options.value_or("") : "");
    if (!options) return submitted{.refusal = options.error().detail()};
    const auto offered = dependencies_.analyzers();
    auto& analyzer = options->analyzer;
    const auto known = std::find(offered.names.begin(), offered.names.end(), analyzer);
    if (known == offered.names.end()) analyzer.clear();  // Removed since the earlier analysis.
    jobs::submission submission{
        .url = url,
        .fresh = earlier != nullptr,
        .costs_money = offered.cost_money && analyzer != model::local_provider && !link->is_test(),
        .queue = true,
        // After a crash, the repeated update finds the same job.
        .idempotency_key = fmt::format("telegram-{}-{}", self_.id, name),
        .options = model::text_of(*options)};
    const auto decision =
        query(dependencies_.submission_batcher.submit(account, std::move(submission), soon()));
    if (!decision) return decision.error();
    using outcome = jobs::submission_result::outcome;
    if (decision->decided == outcome::accepted) {
        asio::post(dependencies_.loop, dependencies_.job_accepted);
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
    std::int64_t update, const incoming_message& message, std::string_view code_text) {
    const auto refuse_code = [&] {
        note_wrong_guess(message.chat);
        send_ephemeral_to(message, templates::wrong_code(dependencies_.origin()));
    };
    const auto hash = chats::hash_of_chat_code(code_text);
    const bool is_allowed = may_guess(message.chat);
    if (!hash || !is_allowed) {
        if (is_allowed) {
            refuse_code();
        } else if (may_refuse(message.chat)) {
            send_ephemeral_to(message, rich_text{plain(templates::too_many_codes)});
        }
        not_noted_ = update;
        return {};
    }
    chats::link_request linking{
        .target = answer_target(message),
        .kind = message.kind,
        .name = message.chat_name,
        .code = *hash,
        .answer = to_messages(templates::welcome(message.kind, self_.username)).front()};
    const auto outcome =
        query(dependencies_.bots.link(lease(), update, std::move(linking), soon()));
    if (!outcome) return outcome.error();
    not_noted_.reset();
    switch (*outcome) {
        case chats::link_outcome::linked: dependencies_.log.info("chat linked"); break;
        case chats::link_outcome::wrong_code: refuse_code(); break;
        case chats::link_outcome::too_many:
            send_ephemeral_to(message, templates::too_many_chats());
            break;
        case chats::link_outcome::stale: break;
    }
    return {};
}

result<void> update_handler::unlink(const request& from) {
    auto answer = reply_to(from, rich_text{plain(templates::unlinked)});
    const auto unlinked =
        query(dependencies_.bots.unlink(lease(), from.update, std::move(answer), soon()));
    if (!unlinked) return unlinked.error();
    dependencies_.log.info("chat unlinked", {{"account", from.account.value}});
    not_noted_.reset();
    return {};
}

result<void> update_handler::remove_reel(const request& from, std::string_view number) {
    const auto job = reel_number(number);
    if (!job) return reply(from, templates::number_required("delete"));
    const auto outcome = query(dependencies_.bots.remove_job(
        lease(),
        from.update,
        *job,
        reply_to(from, templates::deleted(*job)),
        reply_to(from, templates::no_such_reel(*job)),
        soon()));
    if (!outcome) return outcome.error();
    not_noted_.reset();
    if (*outcome == chats::deletion_outcome::deleted) {
        asio::post(
            dependencies_.loop, [removed = dependencies_.job_removed, id = *job] { removed(id); });
    }
    return {};
}

/// Sends a new message that shows the job until it has ended.
result<void> update_handler::show_status(const request& from, std::string_view number) {
    const auto id = reel_number(number);
    if (!id) return reply(from, templates::number_required("status"));
    const auto job = query(dependencies_.jobs.find(from.account, *id, soon()));
    if (!job) return job.error();
    if (!*job) return reply(from, templates::no_such_reel(*id));
    return finish(from.update, {status_of(from, *id)});
}

/// Stores the question, which a sender answers: a model may need a minute.
result<void> update_handler::ask(const request& from, std::string_view rest) {
    auto asked = question_in(rest, from.message, self_);
    std::erase(asked.text, '\0');  // PostgreSQL's text cannot contain it.
    if (asked.text.empty()) return reply(from, templates::question_required());
    if (code_point_count(asked.text) > questions::question_characters_max) {
        return reply(from, templates::question_too_long());
    }
    return finish(
        from.update,
        {{.target = answer_target(from.message),
          .account = from.account,
          .kind = chats::message_kind::question,
          .job = asked.reel,
          .parts = {std::move(asked.text)}}});
}

result<rich_text> update_handler::answer_to(const request& from, const commands::slash& slash) {
    if (slash.name == "help" || slash.name == "start") {
        return templates::help(from.message.kind, self_.username);
    }
    if (slash.name == "link") return templates::wrong_code(dependencies_.origin());
    if (slash.name == "list") return list(from.account);
    if (slash.name == "search") return search(from.account, slash.rest);
    if (slash.name == "usage") return usage(from.account);
    return templates::unknown_command(slash.name);
}

result<rich_text> update_handler::list(account_id account) {
    const auto page =
        query(dependencies_.jobs.list(account, jobs::job_filter{.jobs_max = listed_max}, soon()));
    if (!page) return page.error();
    return templates::list(page->jobs);
}

result<rich_text> update_handler::search(account_id account, std::string_view words) {
    const auto text = model::query_text(words);
    if (text.empty()) return templates::words_required();
    if (code_point_count(text) > query_characters_max)
        return templates::words_too_long(query_characters_max);
    const model::weighted_text whole{text};
    const auto concepts =
        dependencies_.embedder.concepts_of({&whole, 1}, model::query_concepts_max);
    jobs::search_request criteria{.text = model::search_text(text), .hits_max = hits_max};
    for (const auto& found : concepts) {
        criteria.concepts.push_back(found.concept_id);
        criteria.concept_weights.push_back(static_cast<double>(found.weight));
    }
    const auto by = deadline::after(search_time_max);
    auto search = find_reels(
        dependencies_.search, dependencies_.near_reels, account, std::move(criteria), by);
    const auto hits = query(std::move(search), by);
    if (!hits) return hits.error();
    const model::passage_finder finder{text, concepts};
    std::vector<templates::found_reel> reels;
    for (const auto& hit : *hits) reels.push_back(found_from(hit, finder));
    return templates::search(text, reels);
}

result<rich_text> update_handler::usage(account_id account) {
    const auto by = soon();
    const auto summary = query(read_usage(dependencies_.usage, account, by), by);
    if (!summary) return summary.error();
    return templates::usage(*summary);
}

result<void> update_handler::handle_button(std::int64_t update, const pressed_button& button) {
    std::optional<chats::chat_caller> caller;
    if (button.chat) {
        const auto known = query(dependencies_.chats.find_caller(*button.chat, soon()));
        if (!known) return known.error();
        caller = *known;
    }
    std::string text = "This chat is not linked to an account.";
    if (caller) {
        auto answer = press(update, button, caller->account);
        if (!answer) return answer.error();
        text = *std::move(answer);
    } else {
        not_noted_ = update;
    }
    json parameters{{"callback_query_id", button.query}};
    if (!text.empty()) parameters["text"] = std::move(text);
    send_ephemeral_(
        {.chat = std::nullopt,
         .method = "answerCallbackQuery",
         .parameters = std::move(parameters)});
    return {};
}

/// Returns the answer that the user sees.
result<std::string> update_handler::press(
    std::int64_t update, const pressed_button& button, account_id account) {
    std::vector<chats::new_message> messages;
    std::string text = "This reel no longer exists.";
    const auto parsed = parse_button(button.data);
    std::optional<jobs::job> job;
    if (parsed) {
        const auto known = query(dependencies_.jobs.find(account, parsed->job, soon()));
        if (!known) return known.error();
        job = *known;
    }
    chats::new_message message{
        .target =
            {.chat = *button.chat,
             .message_thread = button.message_thread,
             .reply_to = shown_reply_to(button.kind, button.message_id)},
        .account = account};
    if (job && parsed->what != button_command::kind::again) {
        const bool is_done = job->status == jobs::job_status::done;
        const bool is_file = parsed->what == button_command::kind::file;
        text = is_done ? "" : "There is no result.";
        message.kind = is_file ? chats::message_kind::document : chats::message_kind::frames;
        message.job = job->id;
        if (is_done) messages.push_back(std::move(message));
    } else if (job && job->url.starts_with(jobs::upload_scheme)) {
        text = templates::video_required_again;
    } else if (job) {
        // The same for a second press.
        const auto name = fmt::format("{}-{}-again", button.chat->value, button.message_id);
        const auto again = submit(account, job->url, name, &*job);
        if (!again) return again.error();
        text = again->refusal;
        message.kind = chats::message_kind::status;
        message.job = again->job;
        if (again->job) messages.push_back(std::move(message));
    }
    const auto finished = finish(update, std::move(messages));
    if (!finished) return finished.error();
    return text;
}

result<void> update_handler::finish(std::int64_t update, std::vector<chats::new_message> messages) {
    const auto finished =
        query(dependencies_.bots.finish_update(lease(), update, std::move(messages), soon()));
    if (!finished) return finished.error();
    not_noted_.reset();
    return {};
}

chats::new_message update_handler::reply_to(const request& from, const rich_text& text) {
    return {
        .target = answer_target(from.message),
        .account = from.account,
        .kind = chats::message_kind::reply,
        .job = std::nullopt,
        .parts = to_messages(text)};
}

chats::new_message update_handler::status_of(const request& from, job_id job) {
    return {
        .target = answer_target(from.message),
        .account = from.account,
        .kind = chats::message_kind::status,
        .job = job};
}

void update_handler::send_ephemeral_to(const incoming_message& message, const rich_text& text) {
    send_ephemeral_(
        {.chat = message.chat,
         .method = "sendMessage",
         .parameters = message_parameters(answer_target(message), to_messages(text).front())});
}

bool update_handler::may_refuse(chats::chat_id chat) {
    const auto now = deadline::clock::now();
    const auto is_old = [now](const auto& refusal) {
        return now - refusal.second >= refusal_interval;
    };
    const auto known = refused_at_.find(chat);
    if (known != refused_at_.end() && !is_old(*known)) return false;
    if (refused_at_.size() >= chats_remembered_max) std::erase_if(refused_at_, is_old);
    if (refused_at_.size() >= chats_remembered_max) return false;
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
        std::erase_if(guesses_, [now](const auto& known) {
            return now - known.second.since >= guess_window;
        });
    }
    if (guesses_.size() >= chats_remembered_max) return;
    ++guesses_.try_emplace(chat, guesses{.wrong = 0, .since = now}).first->second.wrong;
}

}  // namespace reelsd::bot
