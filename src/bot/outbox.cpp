#include "bot_state.hpp"
#include <reelsd/base/random.hpp>
#include <reelsd/base/sleep.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

// The bot's life, and the thread that holds it and hands out what is to be said.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

constexpr auto introduction_time_max = 15s;
constexpr auto renewal_interval = 2s;
constexpr auto standby_interval = 1s;
/// How late a change of a job is shown: as on the dashboard.
constexpr auto look_interval = 500ms;
/// Of one message. Telegram's patience with edits is about one a second in a chat.
constexpr auto edit_interval = 2s;
/// Rows read at a time, of chats that are free; what is beyond follows once these have been sent.
constexpr int rows_max = 1000;
/// So many slow chats hold up nobody else.
constexpr int message_senders = 12;
/// Of the lease: nothing is begun so shortly before its end.
constexpr auto lease_reserve = 1s;
/// What is being said at a stop has this much time to be answered, so that it is not said again.
constexpr auto last_words_time_max = 2s;

/// A bot's number stands before the colon of its token.
std::optional<std::int64_t> id_in(std::string_view token) {
    const auto digits = token.substr(0, token.find(':'));
    std::int64_t id = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stopped_at, failure] = std::from_chars(digits.data(), end, id);
    const bool is_number = failure == std::errc{} && stopped_at == end && id > 0;
    return is_number ? std::optional{id} : std::nullopt;
}

}  // namespace

bot::state::state(bot_dependencies parts)
    : parts_{std::move(parts)},
      api_{
          {.address = parts_.address,
           .token = parts_.token,
           .ca_file = parts_.ca_file,
           .by_proxy = parts_.by_proxy}},
      message_sender_{parts_, api_} {}

bot::state::~state() = default;

void bot::state::start() {
    outbox_ = std::jthread{[this](const std::stop_token& stop) { keep(stop); }};
    update_poller_ = std::jthread{[this](const std::stop_token& stop) { listen(stop); }};
    for (int number = 0; number < message_senders; ++number) {
        speakers_.emplace_back([this](const std::stop_token& stop) { speak(stop); });
    }
}

void bot::state::stop() {
    outbox_.request_stop();
    update_poller_.request_stop();
    for (auto& one : speakers_) one.request_stop();
    end_term();
    if (ender_.joinable() || speakers_.empty()) return;
    ender_ = std::jthread{[this](const std::stop_token& stop) {
        stoppable_sleep(last_words_time_max, stop);
        speaking_.request_stop();
    }};
}

void bot::state::join() {
    for (auto* const one : {&outbox_, &update_poller_}) {
        if (one->joinable()) one->join();
    }
    for (auto& one : speakers_) one.join();
    speakers_.clear();
    if (ender_.joinable()) {
        ender_.request_stop();
        ender_.join();
    }
    if (self_.id == 0) return;
    // Only now: nothing is being said any more.
    const auto by = deadline::after(1s);
    const auto released = wait_for(parts_.loop, parts_.bots.release(holding(), by), by);
    if (!released) {
        parts_.log.debug("chat: not released", {{"reason", released.error().to_string()}});
    }
}

std::string bot::state::username() const {
    const std::lock_guard lock{mutex_};
    return self_.username;
}

chats::bot_lease bot::state::holding() const {
    const std::lock_guard lock{mutex_};
    return {.bot = chats::bot_id{self_.id}, .holder = parts_.run};
}

void bot::state::keep(const std::stop_token& stop) {
    if (!introduce(stop)) return;
    while (!stop.stop_requested()) {
        auto now = deadline::clock::now();
        if (now >= hold_at_) keep_hold(now);
        bool is_holding = false;
        {
            const std::lock_guard lock{mutex_};
            is_holding = term_.has_value();
        }
        if (is_holding) look();
        now = deadline::clock::now();
        rest(stop, is_holding && has_rows_ ? std::min(hold_at_, now + look_interval) : hold_at_);
    }
}

/// Who we are: until then nothing is known of whom anything is said to. False: stopped before.
bool bot::state::introduce(const std::stop_token& stop) {
    using outcome = api_answer::outcome;
    bool is_told = false;
    for (int failures = 1; !stop.stop_requested(); ++failures) {
        const auto answer =
            api_.call("getMe", json::object(), deadline::after(introduction_time_max), stop);
        if (stop.stop_requested()) break;
        const bool is_known = answer.what == outcome::done && answer.value.is_object() &&
                              answer.value.contains("id") && answer.value["id"].is_number_integer();
        if (is_known) {
            const auto name = answer.value.find("username");
            const std::lock_guard lock{mutex_};
            self_.id = answer.value["id"].get<std::int64_t>();
            if (name != answer.value.end() && name->is_string()) self_.username = *name;
            parts_.log.info("chat bot", {{"username", self_.username}, {"id", self_.id}});
            return true;
        }
        const bool is_unhelpful = answer.what == outcome::done || answer.what == outcome::refused ||
                                  answer.what == outcome::not_there;
        if (const auto id = id_in(parts_.token); id && is_unhelpful) {
            // In groups it then hears those who answer it.
            parts_.log.warning(
                "chat: the Bot API does not say what the bot is called",
                {{"reason", answer.description}});
            const std::lock_guard lock{mutex_};
            self_.id = *id;
            return true;
        }
        const bool is_wrong =
            answer.what == outcome::bad_token || answer.what == outcome::not_there;
        if (!is_told && is_wrong) {
            parts_.log.error(
                "chat: telegram-token is not that of a bot; all else goes on",
                {{"reason", answer.description}});
        } else if (!is_told) {
            parts_.log.warning(
                "chat: the Bot API does not answer; asked again until it does",
                {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
        }
        is_told = true;
        if (is_wrong) {
            stoppable_sleep(wrong_token_pause, stop);
        } else if (answer.what == outcome::wait) {
            stoppable_sleep(answer.retry_after, stop);
        } else {
            stoppable_sleep(backoff(failures, random_between(0.0, 1.0)), stop);
        }
    }
    return false;
}

void bot::state::keep_hold(time_point now) {
    const auto held = wait_for(parts_.loop, parts_.bots.hold(holding(), bot_lease, soon()), soon());
    if (held && *held) {
        {
            const std::lock_guard lock{mutex_};
            held_until_ = now + std::chrono::duration_cast<deadline::clock::duration>(bot_lease) -
                          lease_reserve;
        }
        is_hold_told_ = false;
        hold_at_ = now + renewal_interval;
        begin_term();
        return;
    }
    hold_at_ = now + standby_interval;
    if (held) {
        if (!is_hold_told_) parts_.log.info("chat: another daemon speaks for the bot");
        is_hold_told_ = true;
        return end_term();
    }
    // Without the database nothing can be noted: what is under way fails by itself, and the lease
    // is renewed, or found lost, when it is back.
    parts_.log.debug("chat: the bot is not held", {{"reason", held.error().to_string()}});
}

void bot::state::begin_term() {
    const std::lock_guard lock{mutex_};
    if (term_) return;
    term_.emplace();
    is_woken_ = true;
    has_rows_ = true;
    update_poller_woken_.notify_all();
}

void bot::state::end_term() {
    const std::lock_guard lock{mutex_};
    if (!term_) return;
    term_->request_stop();
    term_.reset();
    for (const auto& one : tasks_) free_lane_of(one);
    tasks_.clear();
    ephemeral_messages_.clear();
}

void bot::state::look() {
    std::set<chats::chat_id> were_busy;
    {
        const std::lock_guard lock{mutex_};
        // The row of a message that is being sent now is about to change.
        were_busy = throttle_.busy(deadline::clock::now());
        is_woken_ = false;
    }
    auto rows = wait_for(
        parts_.loop,
        parts_.bots.waiting(holding().bot, {were_busy.begin(), were_busy.end()}, rows_max, soon()),
        soon());
    const auto now = deadline::clock::now();
    if (!rows) {
        parts_.log.debug("chat: rows are not read", {{"reason", rows.error().to_string()}});
        return;
    }
    // The rows of busy chats are not read, but have to be later.
    has_rows_ = !rows->empty() || !were_busy.empty();
    dispatch(*std::move(rows), now);
    dispatch_ephemeral_messages(were_busy, now);
}

/// `rows` are those of chats that were free when they were read.
void bot::state::dispatch(std::vector<chats::waiting_message> rows, time_point now) {
    const std::lock_guard lock{mutex_};
    std::erase_if(shown_at_, [now](const auto& one) { return now - one.second >= edit_interval; });
    for (auto& row : rows) {
        const auto chat = row.what.target.chat;
        if (!throttle_.is_free(chat, now)) continue;
        auto step = next_step_of(row);
        if (step.what == next_step::kind::nothing) continue;
        if (step.what == next_step::kind::edit && shown_at_.contains(row.id)) continue;
        throttle_.take(chat);
        tasks_.emplace_back(row_to_say{.said = std::move(row), .step = std::move(step)});
    }
    if (!tasks_.empty()) speakers_woken_.notify_all();
}

void bot::state::dispatch_ephemeral_messages(
    const std::set<chats::chat_id>& were_busy, time_point now) {
    const std::lock_guard lock{mutex_};
    std::deque<ephemeral_message> later;
    for (auto& one : ephemeral_messages_) {
        const bool is_free =
            !one.chat || (!were_busy.contains(*one.chat) && throttle_.is_free(*one.chat, now));
        if (!is_free || now < one.not_before) {
            later.push_back(std::move(one));
            continue;
        }
        if (one.chat) throttle_.take(*one.chat);
        tasks_.emplace_back(std::move(one));
    }
    ephemeral_messages_ = std::move(later);
    has_rows_ = has_rows_ || !ephemeral_messages_.empty();
    if (!tasks_.empty()) speakers_woken_.notify_all();
}

void bot::state::rest(const std::stop_token& stop, time_point until) {
    std::unique_lock lock{mutex_};
    outbox_woken_.wait_until(lock, stop, until, [this] { return is_woken_; });
    // Without the bot there is nothing to be woken for.
    if (!term_) is_woken_ = false;
}

void bot::state::add_ephemeral_message(ephemeral_message what) {
    const std::lock_guard lock{mutex_};
    if (ephemeral_messages_.size() >= ephemeral_messages_max) return;
    ephemeral_messages_.push_back(std::move(what));
    is_woken_ = true;
    outbox_woken_.notify_all();
}

void bot::state::speak(const std::stop_token& stop) {
    for (;;) {
        std::unique_lock lock{mutex_};
        speakers_woken_.wait(lock, stop, [this] { return !tasks_.empty(); });
        if (stop.stop_requested()) return;
        const auto what = std::move(tasks_.front());
        tasks_.pop_front();
        // A daemon that has slept may have been thought dead: then another one says it.
        if (!term_ || deadline::clock::now() >= held_until_) {
            free_lane_of(what);
            continue;
        }
        lock.unlock();

        send_result how;
        const auto still = speaking_.get_token();
        if (const auto* const row = std::get_if<row_to_say>(&what)) {
            how = message_sender_.say(row->said, row->step, still);
        } else {
            how = message_sender_.say(std::get<ephemeral_message>(what), still);
        }
        finish(what, how, deadline::clock::now());
    }
}

void bot::state::free_lane_of(const task& what) {
    const auto now = deadline::clock::now();
    if (const auto* const row = std::get_if<row_to_say>(&what)) {
        throttle_.finish(row->said.what.target.chat, {}, now, 0);
    } else if (const auto& chat = std::get<ephemeral_message>(what).chat) {
        throttle_.finish(*chat, {}, now, 0);
    }
}

void bot::state::finish(const task& what, const send_result& how, time_point now) {
    const double roll = random_between(0.0, 1.0);
    const std::lock_guard lock{mutex_};
    if (const auto* const row = std::get_if<row_to_say>(&what)) {
        if (how.what == send_result::outcome::done) shown_at_[row->said.id] = now;
        throttle_.finish(row->said.what.target.chat, how, now, roll);
    } else {
        auto again = std::get<ephemeral_message>(what);
        if (again.chat) throttle_.finish(*again.chat, how, now, roll);
        if (how.what != send_result::outcome::done && ++again.tries < ephemeral_tries_max) {
            again.not_before = how.what == send_result::outcome::wait
                                   ? now + how.wait
                                   : now + backoff(again.tries, roll);
            if (term_) ephemeral_messages_.push_back(std::move(again));
        }
    }
    is_woken_ = true;
    outbox_woken_.notify_all();
}

}  // namespace reelsd::bot
