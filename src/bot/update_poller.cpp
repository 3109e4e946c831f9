#include "update_handler.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/random.hpp>

#include <chrono>
#include <utility>

namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

/// Duration of one long poll; the Bot API accepts up to 50 s.
constexpr auto poll_time = 50s;
/// Added for the network and a busy server.
constexpr auto poll_grace = 15s;
/// Minimum duration of a poll, for servers that return empty answers immediately.
constexpr auto poll_time_min = 250ms;
constexpr int updates_max = 100;
/// An update is skipped after this many failures, so that it does not block later ones.
constexpr int consecutive_failures_max = 3;

}  // namespace

void update_poller::poll(const bot_identity& self, const std::stop_token& term) {
    update_handler handler{dependencies_, api_, self, term, outbox_.send};
    const chats::bot_lease lease{.bot = chats::bot_id{self.id}, .holder = dependencies_.run};
    int failures = 0;
    while (!term.stop_requested()) {
        const auto begun = deadline::clock::now();
        const auto position = query(dependencies_.bots.hold(lease, bot_lease_length, soon()));
        if (!position || !*position) {
            stoppable_sleep(1s, term);  // The outbox renews the lease or ends the term.
            continue;
        }
        const auto answer = request_updates(**position, term);
        if (term.stop_requested()) return;
        if (answer.what != outcome::done) {
            back_off(answer, ++failures, term);
            continue;
        }
        if (std::exchange(is_failing_, false)) dependencies_.log.info("chat: polling resumed");
        failures = 0;
        auto updates = updates_from(answer.value);
        if (const auto last = (*position)->last_update) {
            std::erase_if(updates, [&last](const update& old) { return old.id <= *last; });
        }
        if (!handle_all(handler, updates, term)) {
            stoppable_sleep(1s, term);
        } else if (updates.empty() && deadline::clock::now() - begun < poll_time_min) {
            stoppable_sleep(poll_time_min, term);
        }
    }
}

api_answer update_poller::request_updates(
    const chats::update_position& from, const std::stop_token& term) const {
    json parameters{
        {"timeout", std::chrono::seconds{poll_time}.count()},
        {"limit", updates_max},
        {"allowed_updates", {"message", "edited_message", "callback_query"}}};
    if (from.last_update) parameters["offset"] = *from.last_update + 1;
    return api_.call("getUpdates", parameters, deadline::after(poll_time + poll_grace), term);
}

/// Returns false if an update could not be handled; the server returns it again.
bool update_poller::handle_all(
    update_handler& handler, const std::vector<update>& updates, const std::stop_token& term) {
    bool is_handled = true;
    for (const auto& received : updates) {
        if (term.stop_requested()) return false;
        is_handled = handle(handler, received);
        outbox_.on_handled();
        if (!is_handled) break;
    }
    const auto noted = handler.note_rest();
    return is_handled && noted.has_value();
}

bool update_poller::handle(update_handler& handler, const update& received) {
    const auto handled = handler.handle(received);
    if (handled) {
        consecutive_failures_ = 0;
        return true;
    }
    const auto code = handled.error().code();
    if (code == errc::cancelled) return false;  // A stop.
    dependencies_.log.warning(
        "chat: update failed; retrying", {{"reason", handled.error().to_string()}});
    if (code == errc::database_unavailable || code == errc::storage_failed) return false;
    consecutive_failures_ = failed_update_ == received.id ? consecutive_failures_ + 1 : 1;
    failed_update_ = received.id;
    if (consecutive_failures_ < consecutive_failures_max) return false;
    dependencies_.log.error(
        "chat: update skipped after repeated failures",
        {{"update", received.id}, {"reason", handled.error().to_string()}});
    return handler.skip(received).has_value();
}

void update_poller::back_off(const api_answer& answer, int failures, const std::stop_token& term) {
    if (!std::exchange(is_failing_, true)) {
        dependencies_.log.warning(
            "chat: polling for updates failed; retrying",
            {{"outcome", name_of(answer.what)}, {"reason", answer.description}});
    }
    if (answer.what == outcome::conflict) {
        // Another program polls, which ends by itself, or a webhook is set.
        const auto deleted = api_.call("deleteWebhook", json::object(), soon(), term);
        dependencies_.log.debug(
            "chat: webhook deletion attempted", {{"outcome", name_of(deleted.what)}});
    }
    if (answer.what == outcome::rate_limited) {
        stoppable_sleep(answer.retry_after, term);
    } else if (answer.what == outcome::bad_token || answer.what == outcome::not_found) {
        stoppable_sleep(wrong_token_pause, term);
    } else {
        stoppable_sleep(backoff(failures, random_between(0.0, 1.0)), term);
    }
}

}  // namespace reelsd::bot
