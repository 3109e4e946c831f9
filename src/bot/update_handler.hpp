#pragma once

#include "bot_api.hpp"
#include "bot_part.hpp"
#include "message_sender.hpp"
#include "rich_text.hpp"
#include "update.hpp"
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::bot {

struct video_submission {
    account_id account;
    std::string idempotency_key;
    /// For another attempt, if the job with that key has failed; empty: none.
    std::optional<std::string> retry_key = {};
    incoming_video file;
    std::optional<std::string> url = {};      ///< Link of its post; valid by parse_link().
    std::optional<std::string> caption = {};  ///< Caption of its post.
};

struct video_outcome {
    std::optional<job_id> job = {};
    rich_text refusal = {};  ///< The answer to the chat, if there is no job.
};

/// Downloads a video from the Bot API into the upload store and submits it. Holds two chunks in
/// memory. Blocks for at most two minutes; `stop` ends the download immediately. Without a job, the
/// file is discarded. Errors: those of the database, cancelled.
[[nodiscard]] result<video_outcome> submit_video(
    bot_dependencies& dependencies, const bot_api& api, const video_submission& video,
    const std::stop_token& stop);

/// Handles updates one by one. The changes of an update, its messages and the note that it was
/// handled are stored in one statement. Blocking; for the update poller's thread.
class update_handler : bot_part {
public:
    /// `stop` ends a download, whose update then returns.
    update_handler(
        bot_dependencies& dependencies, const bot_api& api, bot_identity self, std::stop_token stop,
        std::function<void(ephemeral_message)> send_ephemeral)
        : bot_part{dependencies, api},
          self_{std::move(self)},
          stop_{std::move(stop)},
          send_ephemeral_{std::move(send_ephemeral)} {}

    /// Errors: those of the database; the update must be handled again. An update without changes
    /// may remain unnoted until note_rest().
    [[nodiscard]] result<void> handle(const update& received);
    /// Notes the updates that were handled and not noted.
    [[nodiscard]] result<void> note_rest();
    /// Notes an update as handled without handling it.
    [[nodiscard]] result<void> skip(const update& received) { return finish(received.id, {}); }

private:
    /// A message of a linked chat.
    struct request {
        std::int64_t update = 0;
        const incoming_message& message;
        account_id account;
    };

    result<void> handle_message(std::int64_t update, const incoming_message& message);
    result<void> handle_unlinked(
        std::int64_t update, const incoming_message& message, const command& parsed);
    result<void> handle_caller(
        const request& from, std::optional<int> requests_per_minute, const command& parsed);
    result<void> handle_slash(const request& from, const commands::slash& slash);
    result<void> handle_links(const request& from, const commands::links& links);
    result<void> handle_video(const request& from, const commands::video& video);
    result<void> handle_button(std::int64_t update, const pressed_button& button);
    result<std::string> press(
        std::int64_t update, const pressed_button& button, account_id account);
    result<void> link(
        std::int64_t update, const incoming_message& message, std::string_view code_text);
    result<void> unlink(const request& from);
    result<void> remove_reel(const request& from, std::string_view number);
    result<void> show_status(const request& from, std::string_view number);
    result<void> ask(const request& from, std::string_view rest);

    /// The answer to a command that changes nothing.
    result<rich_text> answer_to(const request& from, const commands::slash& slash);
    result<rich_text> list(account_id account);
    result<rich_text> search(account_id account, std::string_view words);
    result<rich_text> usage(account_id account);

    struct submitted {
        std::optional<job_id> job = {};
        std::string refusal = {};  ///< The API's error text, if there is no job.
        bool is_repeated = false;
        bool is_key_of_another_link = false;
        bool is_known = false;  ///< An earlier version of the message was answered already.
    };
    /// Submits link `number` of a message, once for all versions of the message.
    result<submitted> submit_link(const request& from, const std::string& url, std::size_t number);
    /// Whether an earlier version of the message created a job.
    [[nodiscard]] bool is_of_earlier_version(time_point created_at, const request& from) const;
    /// `name` makes the Idempotency-Key, so that a repeated update submits nothing twice.
    /// `earlier`: the job to repeat, with its options; null: none.
    result<submitted> submit(
        account_id account, const std::string& url, std::string_view name,
        const jobs::job* earlier = nullptr);

    /// Notes the update and stores its messages.
    result<void> finish(std::int64_t update, std::vector<chats::new_message> messages);
    result<void> reply(const request& from, const rich_text& text) {
        return finish(from.update, {reply_to(from, text)});
    }
    void send_ephemeral_to(const incoming_message& message, const rich_text& text);
    [[nodiscard]] static chats::new_message reply_to(const request& from, const rich_text& text);
    [[nodiscard]] static chats::new_message status_of(const request& from, job_id job);
    [[nodiscard]] chats::bot_lease lease() const {
        return {.bot = chats::bot_id{self_.id}, .holder = dependencies_.run};
    }
    [[nodiscard]] bool may_refuse(chats::chat_id chat);
    [[nodiscard]] bool may_guess(chats::chat_id chat);
    void note_wrong_guess(chats::chat_id chat);

    struct guesses {
        int wrong = 0;
        deadline::clock::time_point since{};
    };

    bot_identity self_;
    std::stop_token stop_;
    std::function<void(ephemeral_message)> send_ephemeral_;
    accounts::request_rate rate_;
    std::map<chats::chat_id, deadline::clock::time_point> refused_at_;
    std::map<chats::chat_id, guesses> guesses_;
    const time_point started_at_ = wall_clock_now();
    std::int64_t last_update_ = 0;  ///< Kept together with links.
    std::int64_t retried_ = 0;      ///< The update with links that is handled again; 0: none.
    std::optional<std::int64_t> not_noted_;  ///< The last handled update.
};

/// A token that was rejected is retried at this interval.
inline constexpr std::chrono::seconds wrong_token_pause{60};
/// Lease of the bot. Short, so that another daemon takes over soon; a renewal is one small row.
inline constexpr seconds_f bot_lease_length{8.0};

/// Polls the Bot API for updates and handles them. Blocking; for one thread.
class update_poller : bot_part {
public:
    struct callbacks {
        std::function<void(ephemeral_message)> send;
        std::function<void()> on_handled;  ///< Messages may have been stored.
    };
    update_poller(bot_dependencies& dependencies, const bot_api& api, callbacks outbox)
        : bot_part{dependencies, api}, outbox_{std::move(outbox)} {}

    /// Polls until `term` ends, while this daemon has the bot.
    void poll(const bot_identity& self, const std::stop_token& term);

private:
    [[nodiscard]] api_answer request_updates(
        const chats::update_position& from, const std::stop_token& term) const;
    [[nodiscard]] bool handle_all(
        update_handler& handler, const std::vector<update>& updates, const std::stop_token& term);
    [[nodiscard]] bool handle(update_handler& handler, const update& received);
    void back_off(const api_answer& answer, int failures, const std::stop_token& term);

    callbacks outbox_;
    std::int64_t failed_update_ = 0;
    int consecutive_failures_ = 0;  ///< Failures of `failed_update_`.
    bool is_failing_ = false;       ///< The failure of polling has been logged.
};

}  // namespace reelsd::bot
