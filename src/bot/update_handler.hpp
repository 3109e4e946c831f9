#pragma once

#include "bot_api.hpp"
#include "command.hpp"
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

/// Does what updates ask for, one after the other. What it does is durable with the note that the
/// update has been handled, before anything is said. Blocking: on the bot's own thread.
class update_handler {
public:
    /// `parts` and `api` outlive the update handler. `stop` ends a download; its update comes
    /// again.
    update_handler(
        bot_dependencies& parts, const bot_api& api, bot_identity self, std::stop_token stop,
        std::function<void(ephemeral_message)> send_ephemeral);

    /// Errors: what the database's failures are: the update is to be handled once more. An update
    /// that needs nothing written may not be noted yet: see note_rest().
    [[nodiscard]] result<void> handle(const update& what);
    /// Notes what has been handled and not noted: once for many.
    [[nodiscard]] result<void> note_rest();
    /// Notes that it has been handled, without doing anything.
    [[nodiscard]] result<void> pass_over(const update& what);

private:
    /// Who asks, where, and under which update.
    struct request {
        std::int64_t update = 0;
        const incoming_message& said;
        account_id account;
    };
    using answer = std::vector<rich_text>;

    result<void> handle_message(std::int64_t update, const incoming_message& said);
    result<void> handle_stranger(
        std::int64_t update, const incoming_message& said, const command& wanted);
    result<void> handle_caller(
        const request& from, std::optional<int> requests_per_minute, const command& wanted);
    result<void> handle_command(const request& from, const commands::command& wanted);
    result<void> handle_links(const request& from, const commands::links& wanted);
    result<void> handle_video(const request& from, const commands::video& wanted);
    result<void> handle_button(std::int64_t update, const pressed_button& pressed);
    result<std::string> press(
        std::int64_t update, const pressed_button& pressed, account_id account);
    result<void> link(
        std::int64_t update, const incoming_message& said, std::string_view code_text);
    result<void> remove_reel(const request& from, job_id job);
    result<void> show(const request& from, std::string_view number);
    [[nodiscard]] static chats::new_message status_of(const request& from, job_id job);

    /// What can be told without changing anything.
    result<rich_text> told(const request& from, const commands::command& wanted);
    result<rich_text> list(account_id account);
    result<rich_text> find(account_id account, std::string_view words);
    result<rich_text> usage(account_id account);

    struct submitted {
        std::optional<job_id> job = {};
        std::string refusal = {};  ///< The API's text, when there is no job.
        bool is_repeated = false;
        bool is_key_of_another_link = false;
        bool is_known = false;  ///< The chat was told of it when the message was first read.
    };
    /// Link `number` of a message, once for all versions of it.
    result<submitted> submit_link(const request& from, const std::string& url, std::size_t number);
    /// Whether a job was made when an earlier version of the message was read.
    [[nodiscard]] bool is_of_earlier_version(time_point created_at, const request& from) const;
    /// `name` makes the Idempotency-Key, so that an update that comes again submits nothing twice.
    result<submitted> submit(
        account_id account, const std::string& url, bool fresh, std::string_view name);

    result<void> finish(std::int64_t update, std::vector<chats::new_message> messages);
    result<void> reply(const request& from, const rich_text& text);
    void send_ephemeral_to(const incoming_message& said, const rich_text& text);
    [[nodiscard]] chats::new_message reply_to(
        const incoming_message& said, account_id account, const rich_text& text) const;
    [[nodiscard]] chats::bot_lease holding() const;
    [[nodiscard]] bool may_refuse(chats::chat_id chat);
    [[nodiscard]] bool may_guess(chats::chat_id chat);
    void note_wrong_guess(chats::chat_id chat);

    struct guesses {
        int wrong = 0;
        deadline::clock::time_point since{};
    };

    bot_dependencies& parts_;
    const bot_api& api_;
    bot_identity self_;
    std::stop_token stop_;
    std::function<void(ephemeral_message)> send_ephemeral_;
    accounts::request_rate rate_;
    std::map<chats::chat_id, deadline::clock::time_point> refused_at_;
    std::map<chats::chat_id, guesses> guesses_;
    const time_point started_at_ =
        std::chrono::time_point_cast<time_point::duration>(std::chrono::system_clock::now());
    std::int64_t last_update_ = 0;  ///< With links.
    std::int64_t retried_ = 0;      ///< The update with links that is handled once more; 0: none.
    std::optional<std::int64_t> not_noted_;  ///< The last update that has been handled.
};

/// What sendMessage is sent.
[[nodiscard]] json message_parameters(const chats::message_target& target, std::string_view html);

}  // namespace reelsd::bot
