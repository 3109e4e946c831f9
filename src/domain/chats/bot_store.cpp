#include <reelsd/base/json.hpp>
#include <reelsd/domain/chats/bot_store.hpp>

namespace reelsd::chats {

BOOST_DESCRIBE_STRUCT(update_position, (), (last_update))
BOOST_DESCRIBE_STRUCT(message_target, (), (chat, message_thread, reply_to))
BOOST_DESCRIBE_STRUCT(new_message, (), (target, account, kind, job, parts))
BOOST_DESCRIBE_STRUCT(
    waiting_message, (),
    (id, what, message, shown, parts_sent, job_status, step, is_linked, is_overdue))

namespace {

// A lease that ends too late was written before the clock was set back. Messages of a bot that no
// daemon runs are kept for a week: its token may be set again.
constexpr db::query hold_query{"bot.hold", R"sql(
    WITH removed AS (
        DELETE FROM chat_message AS message
         WHERE message.bot_id <> $1 AND message.created_at < now() - interval '7 days'
           AND NOT EXISTS (SELECT FROM chat_bot AS other
                            WHERE other.id = message.bot_id AND other.held_until > now()))
    INSERT INTO chat_bot (id, holder, held_until)
    VALUES ($1, $2, now() + make_interval(secs => $3))
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
     WHERE chat_bot.holder IS NULL OR chat_bot.holder = excluded.holder
        OR chat_bot.held_until < now()
        OR chat_bot.held_until > now() + make_interval(secs => 2 * $3)
    RETURNING CASE WHEN last_update_at > now() - interval '6 days'
                   THEN last_update_id END AS last_update)sql"};

constexpr db::query release_query{"bot.release", R"sql(
    UPDATE chat_bot SET holder = NULL, held_until = NULL WHERE id = $1 AND holder = $2)sql"};

constexpr db::query finish_update_query{"bot.finish_update", R"sql(
    SELECT finish_update($1, $2, $3, $4::json) AS finished)sql"};

constexpr db::query link_chat_query{"bot.link", R"sql(
    SELECT link_chat($1, $2, $3, $4, $5, $6, $7, $8, $9, ARRAY[$10::text], $11) AS outcome)sql"};

constexpr db::query unlink_chat_query{"bot.unlink", R"sql(
    SELECT unlink_chat($1, $2, $3, $4, $5, $6::text[], $7) AS finished)sql"};

constexpr db::query remove_job_query{"bot.remove_job", R"sql(
    SELECT delete_job_for_chat($1, $2, $3, $4, $5, $6::json, $7::json) AS outcome)sql"};

constexpr db::query waiting_query{"bot.waiting", R"sql(
    SELECT message.id, message.chat_id AS chat, message.message_thread_id AS message_thread,
           message.reply_to, message.account_id AS account, message.kind,
           nullif(message.job_id, 0) AS job, message.parts, message.message_id AS message,
           message.shown, message.parts_sent, job.status AS job_status,
           coalesce(job.step, '') AS step, linked.id IS NOT NULL AS is_linked,
           message.created_at < now() - interval '5 minutes' AS is_overdue
      FROM chat_message AS message
      LEFT JOIN job_state AS job ON job.id = message.job_id AND job.account_id = message.account_id
      LEFT JOIN linked_chat AS linked
        ON linked.chat_id = message.chat_id AND linked.account_id = message.account_id
     -- A chat that must wait, with more rows than are read, must not hide the rows of others.
     WHERE message.bot_id = $1 AND message.chat_id <> ALL ($3::bigint[])
     -- Many that only wait for a worker must not keep others from being read.
     ORDER BY coalesce(
                  message.kind = 'status' AND message.message_id IS NOT NULL
                      AND job.status = 'pending',
                  false),
              message.id LIMIT $2)sql"};

constexpr db::query note_progress_query{"bot.note_progress", R"sql(
    UPDATE chat_message SET message_id = $2, shown = $3, parts_sent = $4 WHERE id = $1)sql"};

constexpr db::query replace_by_reply_query{"bot.replace_by_reply", R"sql(
    UPDATE chat_message SET kind = 'reply', job_id = NULL, parts = $2
     WHERE id = $1 AND kind <> 'reply')sql"};

constexpr db::query answer_question_query{"bot.answer_question", R"sql(
    UPDATE chat_message SET parts = $2 WHERE id = $1 AND kind = 'reply' AND parts_sent = 0)sql"};

constexpr db::query forget_query{"bot.forget", R"sql(
    DELETE FROM chat_message WHERE id = $1)sql"};

constexpr db::query forget_chat_query{"bot.forget_chat", R"sql(
    DELETE FROM chat_message WHERE chat_id = $1)sql"};

/// In place of a reel's id, in a question about all of them.
constexpr std::int64_t all_reels = 0;

db::json_text as_json(const std::vector<new_message>& messages) {
    auto list = json::array();
    for (const auto& message : messages) {
        const auto& target = message.target;
        json entry{
            {"chat_id", target.chat.value},
            {"account_id", message.account.value},
            {"kind", name_of(message.kind)},
            {"parts", message.parts}};
        if (target.message_thread) entry["message_thread_id"] = *target.message_thread;
        if (target.reply_to) entry["reply_to"] = *target.reply_to;
        if (message.job) entry["job_id"] = message.job->value;
        if (message.kind == message_kind::question && !message.job) entry["job_id"] = all_reels;
        list.push_back(std::move(entry));
    }
    return {dumped(list)};
}

}  // namespace

awaitable<std::optional<update_position>> bot_store::hold(
    bot_lease who, seconds_f lease, deadline by) {
    return read_optional<update_position>(by, hold_query, who.bot, who.holder, lease);
}

awaitable<void> bot_store::release(bot_lease who, deadline by) {
    return execute(by, release_query, who.bot, who.holder);
}

awaitable<bool> bot_store::finish_update(
    bot_lease who, std::int64_t update, std::vector<new_message> messages, deadline by) {
    return read_one<bool>(by, finish_update_query, who.bot, who.holder, update, as_json(messages));
}

awaitable<link_outcome> bot_store::link(
    bot_lease who, std::int64_t update, link_request request, deadline by) {
    return read_one<link_outcome>(
        by,
        link_chat_query,
        who.bot,
        who.holder,
        update,
        request.target.chat,
        name_of(request.kind),
        request.name,
        request.code,
        linked_chats_max,
        request.target.reply_to,
        request.answer,
        request.target.message_thread);
}

awaitable<bool> bot_store::unlink(
    bot_lease who, std::int64_t update, new_message answer, deadline by) {
    return read_one<bool>(
        by,
        unlink_chat_query,
        who.bot,
        who.holder,
        update,
        answer.target.chat,
        answer.target.reply_to,
        answer.parts,
        answer.target.message_thread);
}

awaitable<deletion_outcome> bot_store::remove_job(
    bot_lease who, std::int64_t update, job_id job, new_message if_deleted, new_message if_unknown,
    deadline by) {
    const std::vector<new_message> on_success{std::move(if_deleted)};
    const std::vector<new_message> on_failure{std::move(if_unknown)};
    const auto owner = on_success.front().account;
    return read_one<deletion_outcome>(
        by,
        remove_job_query,
        who.bot,
        who.holder,
        update,
        owner,
        job,
        as_json(on_success),
        as_json(on_failure));
}

awaitable<std::vector<waiting_message>> bot_store::waiting(
    bot_id bot, std::vector<chat_id> except, int most, deadline by) {
    return read_all<waiting_message>(by, waiting_query, bot, most, except);
}

awaitable<void> bot_store::note_progress(message_row_id id, message_progress now, deadline by) {
    return execute(by, note_progress_query, id, now.message, now.shown, now.parts_sent);
}

awaitable<void> bot_store::replace_by_reply(
    message_row_id id, std::vector<std::string> parts, deadline by) {
    return execute(by, replace_by_reply_query, id, parts);
}

awaitable<void> bot_store::answer_question(
    message_row_id id, std::vector<std::string> parts, deadline by) {
    return execute(by, answer_question_query, id, parts);
}

awaitable<void> bot_store::forget(message_row_id id, deadline by) {
    return execute(by, forget_query, id);
}

awaitable<void> bot_store::forget_chat(chat_id chat, deadline by) {
    return execute(by, forget_chat_query, chat);
}

}  // namespace reelsd::chats
