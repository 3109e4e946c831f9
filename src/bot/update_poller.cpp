#include "bot_state.hpp"
#include <reelsd/base/random.hpp>
#include <reelsd/base/sleep.hpp>
#include <reelsd/domain/loop_call.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

// The thread that asks for updates and has them handled.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

/// How long the server holds an empty answer; the Bot API takes up to 50 s.
constexpr auto poll_time = 50s;
/// Beyond it, for the way and for a server under load.
constexpr auto poll_grace = 15s;
/// A server that does not hold empty answers is not asked in a loop.
constexpr auto quick_answer = 250ms;
constexpr int updates_max = 100;
/// An update that fails so often for a reason of its own is passed over, or none would come after
/// it.
constexpr int consecutive_failures_max = 3;

}  // namespace

void bot::state::listen(const std::stop_token& stop) {
    while (const auto term = await_term(stop)) {
        bot_identity self;
        {
            const std::lock_guard lock{mutex_};
            self = self_;
        }
        update_handler handler{parts_, api_, self, *term, [this](ephemeral_message what) {
                                   add_ephemeral_message(std::move(what));
                               }};
        listen_for(handler, *term);
    }
}

/// The next time that this daemon has the bot; nothing at a stop.
std::optional<std::stop_token> bot::state::await_term(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    update_poller_woken_.wait(lock, stop, [this] { return term_.has_value(); });
    if (stop.stop_requested() || !term_) return std::nullopt;
    return term_->get_token();
}

void bot::state::listen_for(update_handler& with, const std::stop_token& term) {
    int failures = 0;
    while (!term.stop_requested()) {
        const auto begun = deadline::clock::now();
        const auto from =
            wait_for(parts_.loop, parts_.bots.hold(holding(), bot_lease, soon()), soon());
        if (!from || !*from) {
            stoppable_sleep(1s, term);  // The outbox sees to it.
            continue;
        }
        const auto answer = ask_for_updates(**from, term);
        if (term.stop_requested()) return;
        if (answer.what != outcome::done) {
            back_off(answer, ++failures, term);
            continue;
        }
        if (is_trouble_told_) parts_.log.info("chat: updates come again");
        is_trouble_told_ = false;
        failures = 0;
        auto updates = updates_from(answer.value);
        if (const auto last = (*from)->last_update) {
            std::erase_if(updates, [&last](const update& one) { return one.id <= *last; });
        }
        if (!handle_all(with, updates, term)) {
            stoppable_sleep(1s, term);
        } else if (updates.empty() && deadline::clock::now() - begun < quick_answer) {
            stoppable_sleep(quick_answer, term);
        }
    }
}

api_answer bot::state::ask_for_updates(
    const chats::update_position& from, const std::stop_token& term) {
    json parameters{
        {"timeout", std::chrono::seconds{poll_time}.count()},
        {"limit", updates_max},
        {"allowed_updates", {"message", "edited_message", "callback_query"}}};
    if (from.last_update) parameters["offset"] = *from.last_update + 1;
    return api_.call("getUpdates", parameters, deadline::after(poll_time + poll_grace), term);
}

/// False: one of them could not be handled now, and comes again.
bool bot::state::handle_all(
    update_handler& with, const std::vector<update>& updates, const std::stop_token& term) {
    bool is_well = true;
    for (const auto& one : updates) {
        if (term.stop_requested()) return false;
        is_well = handle_one(with, one);
        const std::lock_guard lock{mutex_};
        is_woken_ = true;
        outbox_woken_.notify_all();
        if (!is_well) break;
    }
    const auto noted = with.note_rest();
    return is_well && noted.has_value();
}

bool bot::state::handle_one(update_handler& with, const update& one) {
    const auto handled = with.handle(one);
    if (handled) {
        consecutive_failures_ = 0;
        return true;
    }
    const auto code = handled.error().code();
    if (code == errc::cancelled) return false;  // A stop: it comes again.
    const bool is_databases = code == errc::database_unavailable || code == errc::storage_failed;
    parts_.log.warning(
        "chat: an update is not handled yet", {{"reason", handled.error().to_string()}});
    if (is_databases) return false;
    consecutive_failures_ = failed_at_ == one.id ? consecutive_failures_ + 1 : 1;
    failed_at_ = one.id;
    if (consecutive_failures_ < consecutive_failures_max) return false;
    parts_.log.error(
        "chat: an update is passed over",
        {{"update", one.id}, {"reason", handled.error().to_string()}});
    return with.pass_over(one).has_value();
}

void bot::state::back_off(const api_answer& answer, int failures, const std::stop_token& term) {
    const bool is_wrong = answer.what == outcome::bad_token || answer.what == outcome::not_there;
    if (!is_trouble_told_) {
        parts_.log.warning(
            "chat: no updates; asked again until they come",
            {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
    }
    is_trouble_told_ = true;
    if (answer.what == outcome::another_asks) {
        // Either another program asks for them too, or they are delivered to an address: that ends.
        const auto ended = api_.call("deleteWebhook", json::object(), soon(), term);
        parts_.log.debug("chat: webhook", {{"outcome", name_of(ended.what)}});
    }
    auto wait = backoff(failures, random_between(0.0, 1.0));
    if (answer.what == outcome::wait) {
        wait = answer.retry_after;
    } else if (is_wrong) {
        wait = wrong_token_pause;
    }
    stoppable_sleep(wait, term);
}

}  // namespace reelsd::bot
