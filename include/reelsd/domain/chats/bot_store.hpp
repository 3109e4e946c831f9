#pragma once

#include <reelsd/base/enum_names.hpp>
#include <reelsd/db/store.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::chats {

/// The platform's id of a bot.
using bot_id = strong_id<struct bot_tag>;
using message_row_id = strong_id<struct message_row_tag>;

/// The lease under which updates are handled. Refused when another daemon has the bot.
struct bot_lease {
    bot_id bot;
    std::string holder;  ///< Unique to one start of one daemon.
};

struct update_position {
    /// The last handled update; empty at first, and if it is too old to continue from.
    std::optional<std::int64_t> last_update;
};

enum class message_kind : std::uint8_t {
    reply,     ///< Its parts, unchanged.
    status,    ///< Progress of a job until its end.
    document,  ///< A job's result as a file.
    frames,    ///< The pictures of a job's key moments.
    question,  ///< A question; the answer replaces it and is sent as a reply.
};

BOOST_DESCRIBE_ENUM(message_kind, reply, status, document, frames, question)

/// Where a message appears.
struct message_target {
    chat_id chat;
    /// The topic of a forum group; empty: its General topic, or a chat without topics.
    std::optional<std::int64_t> message_thread = {};
    std::optional<std::int64_t> reply_to = {};  ///< The message that it replies to.
};

/// A message that answers an update.
struct new_message {
    message_target target;
    account_id account;
    message_kind kind = message_kind::reply;
    /// Set for all kinds except replies. For a question: its reel; empty: all reels.
    std::optional<job_id> job = {};
    std::vector<std::string> parts = {};  ///< Of replies and questions: at least one text.
};

/// A message in the queue, with the state of its job.
struct waiting_message {
    message_row_id id;
    new_message what;
    std::optional<std::int64_t> message;  ///< The sent message, which is edited.
    std::string shown;                    ///< Its rendered state: see bot/message_sender.hpp.
    int parts_sent = 0;
    std::optional<jobs::job_status> job_status;  ///< Empty if the job does not exist.
    std::string step;                            ///< Current step of a running job, if known.
    bool is_linked = true;                       ///< Its chat is linked to its account.
    bool is_overdue = false;                     ///< Waits for more than five minutes.
};

struct message_progress {
    std::optional<std::int64_t> message;
    std::string shown;
    int parts_sent = 0;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(link_outcome, std::uint8_t, linked, wrong_code, too_many, stale)
BOOST_DEFINE_FIXED_ENUM_CLASS(deletion_outcome, std::uint8_t, deleted, unknown, stale)

/// A code that was sent in a chat.
struct link_request {
    message_target target;  ///< Source of the code and target of the answer.
    chat_kind kind = chat_kind::private_chat;
    std::string name;  ///< At most 200 characters.
    accounts::secret_hash code{};
    std::string answer;  ///< Sent when it is linked.
};

/// Handled updates and outgoing messages of a chat bot. The effects of an update and its record are
/// one statement. `stale` or false means that it was handled before, or that another daemon has the
/// bot: nothing was changed.
class bot_store : public db::store {
public:
    using db::store::store;

    /// Acquires or renews the lease of the bot; empty while another daemon has it. Removes messages
    /// that have waited for a week for a bot without a lease.
    awaitable<std::optional<update_position>> hold(bot_lease who, seconds_f lease, deadline by);
    /// Ends the lease, so that another daemon may acquire it.
    awaitable<void> release(bot_lease who, deadline by);

    awaitable<bool> finish_update(
        bot_lease who, std::int64_t update, std::vector<new_message> messages, deadline by);
    awaitable<link_outcome> link(
        bot_lease who, std::int64_t update, link_request request, deadline by);
    /// Removes the chat's unsent messages and adds `answer`.
    awaitable<bool> unlink(bot_lease who, std::int64_t update, new_message answer, deadline by);
    awaitable<deletion_outcome> remove_job(
        bot_lease who, std::int64_t update, job_id job, new_message if_deleted,
        new_message if_unknown, deadline by);

    /// Oldest first; at most `most`, none of the chats in `except`.
    awaitable<std::vector<waiting_message>> waiting(
        bot_id bot, std::vector<chat_id> except, int most, deadline by);
    awaitable<void> note_progress(message_row_id id, message_progress now, deadline by);
    /// Turns a message of another kind into a reply with these parts, at least one. For a question,
    /// it is sent if the daemon dies before answer_question(): a question is charged at most once.
    awaitable<void> replace_by_reply(
        message_row_id id, std::vector<std::string> parts, deadline by);
    /// Replaces the parts of such a reply, unless it is being sent.
    awaitable<void> answer_question(message_row_id id, std::vector<std::string> parts, deadline by);
    /// Removes a message that is complete or cannot be sent.
    awaitable<void> forget(message_row_id id, deadline by);
    /// Removes the messages of a chat that cannot be reached.
    awaitable<void> forget_chat(chat_id chat, deadline by);
};

}  // namespace reelsd::chats
