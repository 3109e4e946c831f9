#include "bot_part.hpp"
#include "message_sender.hpp"
#include "update_handler.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/bot/bot.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <variant>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

constexpr auto identity_time_max = 15s;
constexpr auto renewal_interval = 2s;
constexpr auto standby_interval = 1s;
/// Delay of changes of a job, as in the dashboard.
constexpr auto read_interval = 500ms;
/// Minimum time between edits of one message. Telegram accepts about one per second and chat.
constexpr auto edit_interval = 2s;
/// Rows that are read at a time.
constexpr int rows_max = 1000;
/// Threads that send messages. Fewer slow chats than this delay no other chat.
constexpr int senders_max = 12;
/// Nothing is sent this shortly before the end of the lease.
constexpr auto lease_reserve = 1s;
/// Time for messages in progress at a stop, so that they are not sent again. Questions have the
/// drain of the settings, if that is longer.
constexpr auto sending_time_max = 2s;

/// Further ephemeral messages are dropped.
constexpr std::size_t ephemeral_messages_max = 1000;
constexpr int ephemeral_attempts_max = 5;

/// The bot's id, which is the part of its token before the colon.
std::optional<std::int64_t> id_in(std::string_view token) {
    const auto id = parse_number<std::int64_t>(token.substr(0, token.find(':')));
    return id && *id > 0 ? id : std::nullopt;
}

}  // namespace

/// The threads of the bot and their shared state. The outbox fetches the bot's identity, renews its
/// lease, reads stored messages and passes them to the senders. The update poller polls for updates
/// and handles them.
class bot::state {
public:
    explicit state(bot_dependencies dependencies);

    void start();
    void stop();
    void join();
    [[nodiscard]] std::string username() const;

private:
    using time_point = deadline::clock::time_point;
    struct stored_message {
        chats::waiting_message row;
        next_step step;
    };
    using task = std::variant<stored_message, ephemeral_message>;

    void run_outbox(const std::stop_token& stop);
    [[nodiscard]] bool fetch_identity(const std::stop_token& stop);
    [[nodiscard]] bool accept_identity(const api_answer& answer);
    void renew_lease(time_point now);
    void begin_term();
    void end_term();
    void drain(const std::stop_token& stop);
    void read_messages();
    void dispatch(std::vector<chats::waiting_message> rows, time_point now);
    void dispatch_ephemeral_messages(const std::set<chats::chat_id>& were_busy, time_point now);
    void wait_for_work(const std::stop_token& stop, time_point until);

    void run_update_poller(const std::stop_token& stop);

    void run_sender(const std::stop_token& stop);
    void finish(const task& sent, const send_result& outcome, time_point now);
    void release_chat(const task& unsent);  ///< Requires the mutex.

    // Any thread.
    void add_ephemeral_message(ephemeral_message message);
    void wake_outbox();
    [[nodiscard]] chats::bot_lease lease() const;
    template <class T>
    [[nodiscard]] result<T> query(awaitable<T> operation, const deadline& by) const {
        return wait_for(dependencies_.loop, std::move(operation), by);
    }

    bot_dependencies dependencies_;
    bot_api api_;
    message_sender message_sender_;
    update_poller update_poller_;  ///< Used only by its thread.

    mutable std::mutex mutex_;
    std::condition_variable_any outbox_woken_;
    std::condition_variable_any senders_woken_;
    std::condition_variable_any term_begun_;
    // Guarded by the mutex.
    bot_identity self_;
    std::optional<std::stop_source> term_;  ///< While this daemon has the bot.
    time_point leased_until_{};             ///< No other daemon has the bot before.
    bool is_woken_ = true;
    std::deque<task> tasks_;
    std::deque<ephemeral_message> ephemeral_messages_;
    per_chat_throttle throttle_;
    std::map<chats::message_row_id, time_point> sent_at_;  ///< Recent messages.

    // Used by the outbox only.
    time_point renew_at_{};
    bool has_rows_ = true;
    bool is_standby_logged_ = false;

    // Requests of the senders, which may end by themselves at a stop.
    std::stop_source sending_;
    std::stop_source answering_;
    std::jthread outbox_thread_;
    std::jthread poller_thread_;
    std::vector<std::jthread> sender_threads_;
    std::jthread drain_thread_;
};

bot::bot(bot_dependencies dependencies)
    : offload_{dependencies.offload},
      log_{dependencies.log},
      state_{std::make_unique<state>(std::move(dependencies))} {}

bot::~bot() = default;

void bot::start() {
    state_->start();
}

awaitable<bool> bot::stop(deadline by) {
    state_->stop();
    const auto join = [this] { state_->join(); };
    const auto joined = co_await offload_.run(by, join);
    if (!joined) {
        log_.warning("stopping the chat bot timed out", {{"reason", joined.error().to_string()}});
    }
    co_return joined.has_value();
}

std::string bot::username() const {
    return state_->username();
}

bot::state::state(bot_dependencies dependencies)
    : dependencies_{std::move(dependencies)},
      api_{
          {.address = dependencies_.address,
           .token = dependencies_.token,
           .ca_file = dependencies_.ca_file,
           .by_proxy = dependencies_.by_proxy}},
      message_sender_{dependencies_, api_},
      update_poller_{
          dependencies_,
          api_,
          {.send = [this](ephemeral_message message) { add_ephemeral_message(std::move(message)); },
           .on_handled = [this] { wake_outbox(); }}} {}

void bot::state::start() {
    outbox_thread_ = std::jthread{[this](const std::stop_token& stop) { run_outbox(stop); }};
    poller_thread_ = std::jthread{[this](const std::stop_token& stop) { run_update_poller(stop); }};
    for (int number = 0; number < senders_max; ++number) {
        sender_threads_.emplace_back([this](const std::stop_token& stop) { run_sender(stop); });
    }
}

void bot::state::stop() {
    outbox_thread_.request_stop();
    poller_thread_.request_stop();
    for (auto& sender : sender_threads_) sender.request_stop();
    end_term();
    if (drain_thread_.joinable() || sender_threads_.empty()) return;
    drain_thread_ = std::jthread{[this](const std::stop_token& stop) { drain(stop); }};
}

/// Keeps the bot meanwhile: another daemon would send what a question has stored for a crash.
void bot::state::drain(const std::stop_token& stop) {
    const auto sent_by = deadline::after(sending_time_max);
    const auto until =
        deadline::after(std::max<std::chrono::milliseconds>(sending_time_max, dependencies_.drain));
    while (stoppable_sleep(std::min<seconds_f>(renewal_interval, until.remaining()), stop) &&
           !until.passed()) {
        if (sent_by.passed()) sending_.request_stop();
        static_cast<void>(
            query(dependencies_.bots.hold(lease(), bot_lease_length, soon()), soon()));
    }
    sending_.request_stop();
    answering_.request_stop();
}

void bot::state::join() {
    for (auto* const thread : {&outbox_thread_, &poller_thread_}) {
        if (thread->joinable()) thread->join();
    }
    for (auto& sender : sender_threads_) sender.join();
    sender_threads_.clear();
    if (drain_thread_.joinable()) {
        drain_thread_.request_stop();
        drain_thread_.join();
    }
    if (self_.id == 0) return;
    // After the last message.
    const auto by = deadline::after(1s);
    const auto released = query(dependencies_.bots.release(lease(), by), by);
    if (!released) {
        dependencies_.log.debug(
            "chat: releasing the bot failed", {{"reason", released.error().to_string()}});
    }
}

std::string bot::state::username() const {
    const std::lock_guard lock{mutex_};
    return self_.username;
}

chats::bot_lease bot::state::lease() const {
    const std::lock_guard lock{mutex_};
    return {.bot = chats::bot_id{self_.id}, .holder = dependencies_.run};
}

void bot::state::run_outbox(const std::stop_token& stop) {
    if (!fetch_identity(stop)) return;
    while (!stop.stop_requested()) {
        auto now = deadline::clock::now();
        if (now >= renew_at_) renew_lease(now);
        bool has_bot = false;
        {
            const std::lock_guard lock{mutex_};
            has_bot = term_.has_value();
        }
        if (has_bot) read_messages();
        now = deadline::clock::now();
        const bool reads_again = has_bot && has_rows_;
        wait_for_work(stop, reads_again ? std::min(renew_at_, now + read_interval) : renew_at_);
    }
}

/// Retries until the bot's id is known, because stored messages belong to that id. Returns false
/// after a stop.
bool bot::state::fetch_identity(const std::stop_token& stop) {
    using outcome = api_answer::outcome;
    for (int failures = 1; !stop.stop_requested(); ++failures) {
        const auto answer =
            api_.call("getMe", json::object(), deadline::after(identity_time_max), stop);
        if (stop.stop_requested()) break;
        if (accept_identity(answer)) return true;
        const bool is_wrong =
            answer.what == outcome::bad_token || answer.what == outcome::not_found;
        if (failures == 1 && is_wrong) {
            dependencies_.log.error(
                "chat: telegram-token is not the token of a bot", {{"reason", answer.description}});
        } else if (failures == 1) {
            dependencies_.log.warning(
                "chat: the Bot API does not answer; retrying",
                {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
        }
        if (is_wrong) {
            stoppable_sleep(wrong_token_pause, stop);
        } else if (answer.what == outcome::rate_limited) {
            stoppable_sleep(answer.retry_after, stop);
        } else {
            stoppable_sleep(backoff(failures, random_between(0.0, 1.0)), stop);
        }
    }
    return false;
}

bool bot::state::accept_identity(const api_answer& answer) {
    using outcome = api_answer::outcome;
    if (answer.what == outcome::done) {
        if (const auto id = integer_of(answer.value, "id")) {
            const std::lock_guard lock{mutex_};
            self_ = {.id = *id, .username = text_of(answer.value, "username").value_or("")};
            dependencies_.log.info(
                "chat bot started", {{"username", self_.username}, {"id", self_.id}});
            return true;
        }
    }
    const bool lacks_identity = answer.what == outcome::done || answer.what == outcome::rejected ||
                                answer.what == outcome::not_found;
    const auto id = id_in(dependencies_.token);
    if (!id || !lacks_identity) return false;
    // Without its name, the bot does not notice mentions in groups.
    dependencies_.log.warning(
        "chat: the Bot API does not report the bot's name", {{"reason", answer.description}});
    const std::lock_guard lock{mutex_};
    self_.id = *id;
    return true;
}

void bot::state::renew_lease(time_point now) {
    const auto position = query(dependencies_.bots.hold(lease(), bot_lease_length, soon()), soon());
    if (position && *position) {
        {
            const std::lock_guard lock{mutex_};
            leased_until_ =
                now + std::chrono::duration_cast<deadline::clock::duration>(bot_lease_length) -
                lease_reserve;
        }
        is_standby_logged_ = false;
        renew_at_ = now + renewal_interval;
        begin_term();
        return;
    }
    renew_at_ = now + standby_interval;
    if (position) {
        if (!is_standby_logged_) dependencies_.log.info("chat: another daemon runs the bot");
        is_standby_logged_ = true;
        return end_term();
    }
    // Without the database, work in progress fails by itself.
    dependencies_.log.debug(
        "chat: lease renewal failed", {{"reason", position.error().to_string()}});
}

void bot::state::begin_term() {
    const std::lock_guard lock{mutex_};
    if (term_) return;
    term_.emplace();
    is_woken_ = true;
    has_rows_ = true;
    term_begun_.notify_all();
}

void bot::state::end_term() {
    const std::lock_guard lock{mutex_};
    if (!term_) return;
    term_->request_stop();
    term_.reset();
    for (const auto& unsent : tasks_) release_chat(unsent);
    tasks_.clear();
    ephemeral_messages_.clear();
}

void bot::state::read_messages() {
    std::set<chats::chat_id> were_busy;
    {
        const std::lock_guard lock{mutex_};
        // Their rows are about to change.
        were_busy = throttle_.busy(deadline::clock::now());
        is_woken_ = false;
    }
    auto rows = query(
        dependencies_.bots.waiting(
            lease().bot, {were_busy.begin(), were_busy.end()}, rows_max, soon()),
        soon());
    const auto now = deadline::clock::now();
    if (!rows) {
        dependencies_.log.debug(
            "chat: reading messages failed", {{"reason", rows.error().to_string()}});
        return;
    }
    // Rows of busy chats are read later.
    has_rows_ = !rows->empty() || !were_busy.empty();
    dispatch(*std::move(rows), now);
    dispatch_ephemeral_messages(were_busy, now);
}

/// `rows` are of chats that were free when they were read.
void bot::state::dispatch(std::vector<chats::waiting_message> rows, time_point now) {
    const std::lock_guard lock{mutex_};
    std::erase_if(sent_at_, [now](const auto& sent) { return now - sent.second >= edit_interval; });
    for (auto& row : rows) {
        const auto chat = row.what.target.chat;
        if (!throttle_.is_free(chat, now)) continue;
        auto step = next_step_of(row);
        if (step.what == next_step::kind::nothing) continue;
        if (step.what == next_step::kind::edit && sent_at_.contains(row.id)) continue;
        throttle_.take(chat);
        tasks_.emplace_back(stored_message{.row = std::move(row), .step = std::move(step)});
    }
    if (!tasks_.empty()) senders_woken_.notify_all();
}

void bot::state::dispatch_ephemeral_messages(
    const std::set<chats::chat_id>& were_busy, time_point now) {
    const std::lock_guard lock{mutex_};
    std::deque<ephemeral_message> later;
    for (auto& message : ephemeral_messages_) {
        const auto& chat = message.chat;
        const bool is_free = !chat || (!were_busy.contains(*chat) && throttle_.is_free(*chat, now));
        if (!is_free || now < message.not_before) {
            later.push_back(std::move(message));
            continue;
        }
        if (chat) throttle_.take(*chat);
        tasks_.emplace_back(std::move(message));
    }
    ephemeral_messages_ = std::move(later);
    has_rows_ = has_rows_ || !ephemeral_messages_.empty();
    if (!tasks_.empty()) senders_woken_.notify_all();
}

void bot::state::wait_for_work(const std::stop_token& stop, time_point until) {
    std::unique_lock lock{mutex_};
    outbox_woken_.wait_until(lock, stop, until, [this] { return is_woken_; });
    // Without the bot, there is no work until the next renewal.
    if (!term_) is_woken_ = false;
}

void bot::state::run_update_poller(const std::stop_token& stop) {
    for (;;) {
        std::unique_lock lock{mutex_};
        term_begun_.wait(lock, stop, [this] { return term_.has_value(); });
        if (stop.stop_requested() || !term_) return;
        const auto self = self_;
        const auto term = term_->get_token();
        lock.unlock();
        update_poller_.poll(self, term);
    }
}

void bot::state::run_sender(const std::stop_token& stop) {
    for (;;) {
        std::unique_lock lock{mutex_};
        senders_woken_.wait(lock, stop, [this] { return !tasks_.empty(); });
        if (stop.stop_requested()) return;
        const auto taken = std::move(tasks_.front());
        tasks_.pop_front();
        // After a suspension of this machine, another daemon may have the bot.
        if (!term_ || deadline::clock::now() >= leased_until_) {
            release_chat(taken);
            continue;
        }
        lock.unlock();

        send_result outcome;
        const auto sending = sending_.get_token();
        if (const auto* const stored = std::get_if<stored_message>(&taken)) {
            const bool is_answer = stored->step.what == next_step::kind::answer;
            outcome = message_sender_.send(
                stored->row, stored->step, is_answer ? answering_.get_token() : sending);
        } else {
            outcome = message_sender_.send(std::get<ephemeral_message>(taken), sending);
        }
        finish(taken, outcome, deadline::clock::now());
    }
}

void bot::state::release_chat(const task& unsent) {
    const auto now = deadline::clock::now();
    if (const auto* const stored = std::get_if<stored_message>(&unsent)) {
        throttle_.finish(stored->row.what.target.chat, {}, now, 0);
    } else if (const auto& chat = std::get<ephemeral_message>(unsent).chat) {
        throttle_.finish(*chat, {}, now, 0);
    }
}

void bot::state::finish(const task& sent, const send_result& outcome, time_point now) {
    const double jitter = random_between(0.0, 1.0);
    const std::lock_guard lock{mutex_};
    if (const auto* const stored = std::get_if<stored_message>(&sent)) {
        if (outcome.what == send_result::outcome::done) sent_at_[stored->row.id] = now;
        throttle_.finish(stored->row.what.target.chat, outcome, now, jitter);
    } else {
        auto message = std::get<ephemeral_message>(sent);
        if (message.chat) throttle_.finish(*message.chat, outcome, now, jitter);
        if (outcome.what != send_result::outcome::done &&
            ++message.attempts < ephemeral_attempts_max) {
            message.not_before = outcome.what == send_result::outcome::rate_limited
                                     ? now + outcome.wait
                                     : now + backoff(message.attempts, jitter);
            if (term_) ephemeral_messages_.push_back(std::move(message));
        }
    }
    is_woken_ = true;
    outbox_woken_.notify_all();
}

void bot::state::add_ephemeral_message(ephemeral_message message) {
    const std::lock_guard lock{mutex_};
    if (ephemeral_messages_.size() >= ephemeral_messages_max) return;
    ephemeral_messages_.push_back(std::move(message));
    is_woken_ = true;
    outbox_woken_.notify_all();
}

void bot::state::wake_outbox() {
    const std::lock_guard lock{mutex_};
    is_woken_ = true;
    outbox_woken_.notify_all();
}

}  // namespace reelsd::bot
