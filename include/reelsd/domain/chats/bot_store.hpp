#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::chats {

/// A bot as its platform numbers it.
using bot_id = strong_id<struct bot_tag>;
/// A row of what is to be said.
using message_row_id = strong_id<struct message_row_tag>;

/// Under which an update is handled: everything is refused once another daemon has the bot.
struct bot_lease {
    bot_id bot;
    std::string holder;  ///< Unique to one start of one daemon.
};

/// Where the handling of updates stands.
struct update_position {
    /// The last one that was handled; nothing when there is none, or it is too old to count from.
    std::optional<std::int64_t> last_update;
};

enum class message_kind : std::uint8_t {
    reply,     ///< Its parts as they stand.
    status,    ///< How a job goes on, until it has ended.
    document,  ///< A job's result as a file.
};

/// Where a message appears.
struct message_target {
    chat_id chat;
    /// The topic of a forum group; nothing: the group's General topic, or a chat without topics.
    std::optional<std::int64_t> message_thread = {};
    std::optional<std::int64_t> reply_to = {};  ///< The message that it visibly answers.
};

/// Something that is to be said because of an update.
struct new_message {
    message_target target;
    account_id account;
    message_kind kind = message_kind::reply;
    std::optional<job_id> job = {};       ///< Of all but replies.
    std::vector<std::string> parts = {};  ///< Of replies alone: 1 or more texts, as they are sent.
};

/// The same as it waits, and how its job stands now.
struct waiting_message {
    message_row_id id;
    new_message what;
    std::optional<std::int64_t> message;  ///< The message that is edited, once it has been sent.
    std::string shown;                    ///< What it shows: see bot/delivery.hpp.
    int parts_sent = 0;
    std::optional<jobs::job_status> job_status;  ///< Nothing: there is no such job.
    std::string step;                            ///< Of a job in work, if it is known.
    bool is_linked = true;                       ///< Its chat still speaks for its account.
};

/// What was said of a row, as it stands now.
struct message_progress {
    std::optional<std::int64_t> message;
    std::string shown;
    int parts_sent = 0;
};

enum class link_outcome : std::uint8_t { linked, wrong_code, too_many, stale };
enum class deletion_outcome : std::uint8_t { deleted, unknown, stale };

/// A chat that shows a code.
struct link_request {
    message_target target;  ///< Where the code was shown; the answer goes there.
    chat_kind kind = chat_kind::private_chat;
    std::string name;  ///< At most 200 characters.
    accounts::secret_hash code{};
    std::string answer;  ///< Said when it is linked.
};

/// What a chat bot has handled and has still to say. What is done for an update is one statement
/// with the note that it has been handled; `stale` or false means that it was handled before, or
/// that another daemon has the bot: nothing was changed. Throws like jobs::job_store. A cheap value
/// around the pool.
class bot_store {
public:
    explicit bot_store(db::pool& pool) : pool_{&pool} {}

    /// Takes or keeps the bot for `lease`; nothing while another daemon has it.
    boost::asio::awaitable<std::optional<update_position>> hold(
        bot_lease who, seconds_f lease, deadline by);
    /// Another daemon may take it at once.
    boost::asio::awaitable<void> release(bot_lease who, deadline by);

    boost::asio::awaitable<bool> finish_update(
        bot_lease who, std::int64_t update, std::vector<new_message> messages, deadline by);
    boost::asio::awaitable<link_outcome> link(
        bot_lease who, std::int64_t update, link_request wanted, deadline by);
    /// `answer` is all that is still said in the chat.
    boost::asio::awaitable<bool> unlink(
        bot_lease who, std::int64_t update, new_message answer, deadline by);
    boost::asio::awaitable<deletion_outcome> remove_job(
        bot_lease who, std::int64_t update, job_id job, new_message if_deleted,
        new_message if_unknown, deadline by);

    /// The oldest first; at most `most`, none of the chats in `except`.
    boost::asio::awaitable<std::vector<waiting_message>> waiting(
        bot_id bot, std::vector<chat_id> except, int most, deadline by);
    boost::asio::awaitable<void> note_progress(
        message_row_id id, message_progress now, deadline by);
    /// All of it has been said, or it cannot be.
    boost::asio::awaitable<void> forget(message_row_id id, deadline by);
    /// Nothing reaches this chat.
    boost::asio::awaitable<void> forget_chat(chat_id chat, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::chats
