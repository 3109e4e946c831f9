#include <reelsd/base/json.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/chats/bot_store.hpp>

#include <span>
#include <string_view>

namespace reelsd::chats {
namespace {

// A lease that ends too late was written before the clock was set back.
constexpr db::query hold_query{"bot.hold", R"sql(
    INSERT INTO chat_bot (id, holder, held_until)
    VALUES ($1, $2, now() + make_interval(secs => $3))
    ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
     WHERE chat_bot.holder IS NULL OR chat_bot.holder = excluded.holder
        OR chat_bot.held_until < now()
        OR chat_bot.held_until > now() + make_interval(secs => 2 * $3)
    RETURNING CASE WHEN last_update_at > now() - interval '6 days'
                   THEN last_update_id END AS position)sql"};

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
    SELECT message.id, message.chat_id, message.message_thread_id, message.account_id, message.kind,
           message.reply_to, message.job_id, message.parts, message.message_id, message.shown,
           message.parts_sent, job.status AS job_status,
           coalesce(job.step, '') AS step, linked.id IS NOT NULL AS is_linked
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

constexpr db::query begin_question_query{"bot.begin_question", R"sql(
    UPDATE chat_message SET kind = 'reply', job_id = NULL, parts = $2
     WHERE id = $1 AND kind = 'question')sql"};

constexpr db::query answer_question_query{"bot.answer_question", R"sql(
    UPDATE chat_message SET parts = $2 WHERE id = $1 AND kind = 'reply' AND parts_sent = 0)sql"};

constexpr db::query forget_query{"bot.forget", R"sql(
    DELETE FROM chat_message WHERE id = $1)sql"};

constexpr db::query forget_chat_query{"bot.forget_chat", R"sql(
    DELETE FROM chat_message WHERE chat_id = $1)sql"};

/// In place of a reel's id, in a question about all of them.
constexpr std::int64_t all_reels = 0;

std::string_view name_of_kind(message_kind kind) {
    switch (kind) {
        case message_kind::reply: return "reply";
        case message_kind::status: return "status";
        case message_kind::question: return "question";
        case message_kind::frames: return "frames";
        case message_kind::document: break;
    }
    return "document";
}

message_kind kind_from(std::string_view name) {
    if (name == "reply") return message_kind::reply;
    if (name == "question") return message_kind::question;
    if (name == "frames") return message_kind::frames;
    return name == "status" ? message_kind::status : message_kind::document;
}

db::json_text as_json(const std::vector<new_message>& messages) {
    auto list = json::array();
    for (const auto& message : messages) {
        const auto& target = message.target;
        json entry{
            {"chat_id", target.chat.value},
            {"account_id", message.account.value},
            {"kind", name_of_kind(message.kind)},
            {"parts", message.parts}};
        if (target.message_thread) entry["message_thread_id"] = *target.message_thread;
        if (target.reply_to) entry["reply_to"] = *target.reply_to;
        if (message.job) entry["job_id"] = message.job->value;
        if (message.kind == message_kind::question && !message.job) entry["job_id"] = all_reels;
        list.push_back(std::move(entry));
    }
    return {list.dump(-1, ' ', false, json::error_handler_t::replace)};
}

waiting_message waiting_from(const db::row& row) {
    waiting_message message{
        .id = row.as<message_row_id>("id"),
        .what =
            {.target =
                 {.chat = row.as<chat_id>("chat_id"),
                  .message_thread = row.as<std::optional<std::int64_t>>("message_thread_id"),
                  .reply_to = row.as<std::optional<std::int64_t>>("reply_to")},
             .account = row.as<account_id>("account_id"),
             .kind = kind_from(row.as<std::string_view>("kind")),
             .job = row.as<std::optional<job_id>>("job_id"),
             .parts = row.as<std::vector<std::string>>("parts")},
        .message = row.as<std::optional<std::int64_t>>("message_id"),
        .shown = row.as<std::string>("shown"),
        .parts_sent = row.as<std::int32_t>("parts_sent"),
        .job_status = std::nullopt,
        .step = row.as<std::string>("step"),
        .is_linked = row.as<bool>("is_linked")};
    if (message.what.job == job_id{all_reels}) message.what.job.reset();
    if (const auto status = row.as<std::optional<std::string_view>>("job_status")) {
        message.job_status = jobs::job_status_from(*status).value();
    }
    return message;
}

link_outcome link_outcome_from(std::string_view name) {
    if (name == "linked") return link_outcome::linked;
    if (name == "wrong_code") return link_outcome::wrong_code;
    return name == "too_many" ? link_outcome::too_many : link_outcome::stale;
}

deletion_outcome deletion_outcome_from(std::string_view name) {
    if (name == "deleted") return deletion_outcome::deleted;
    return name == "unknown" ? deletion_outcome::unknown : deletion_outcome::stale;
}

}  // namespace

boost::asio::awaitable<std::optional<update_position>> bot_store::hold(
    bot_lease who, seconds_f lease, deadline by) {
    const auto held = co_await pool_->run(by, hold_query, who.bot, who.holder, lease.count());
    co_return held.map_one([](const db::row& row) {
        return update_position{.last_update = row.as<std::optional<std::int64_t>>("position")};
    });
}

boost::asio::awaitable<void> bot_store::release(bot_lease who, deadline by) {
    co_await pool_->run(by, release_query, who.bot, who.holder);
}

boost::asio::awaitable<bool> bot_store::finish_update(
    bot_lease who, std::int64_t update, std::vector<new_message> messages, deadline by) {
    const auto done = co_await pool_->run(
        by, finish_update_query, who.bot, who.holder, update, as_json(messages));
    co_return done.one().as<bool>("finished");
}

boost::asio::awaitable<link_outcome> bot_store::link(
    bot_lease who, std::int64_t update, link_request request, deadline by) {
    const auto done = co_await pool_->run(
        by,
        link_chat_query,
        who.bot,
        who.holder,
        update,
        request.target.chat,
        name_of(request.kind),
        request.name,
        std::as_bytes(std::span{request.code}),
        linked_chats_max,
        request.target.reply_to,
        request.answer,
        request.target.message_thread);
    co_return link_outcome_from(done.one().as<std::string_view>("outcome"));
}

boost::asio::awaitable<bool> bot_store::unlink(
    bot_lease who, std::int64_t update, new_message answer, deadline by) {
    const auto done = co_await pool_->run(
        by,
        unlink_chat_query,
        who.bot,
        who.holder,
        update,
        answer.target.chat,
        answer.target.reply_to,
        answer.parts,
        answer.target.message_thread);
    co_return done.one().as<bool>("finished");
}

boost::asio::awaitable<deletion_outcome> bot_store::remove_job(
    bot_lease who, std::int64_t update, job_id job, new_message if_deleted, new_message if_unknown,
    deadline by) {
    const std::vector<new_message> on_success{std::move(if_deleted)};
    const std::vector<new_message> on_failure{std::move(if_unknown)};
    const auto owner = on_success.front().account;
    const auto done = co_await pool_->run(
        by,
        remove_job_query,
        who.bot,
        who.holder,
        update,
        owner,
        job,
        as_json(on_success),
        as_json(on_failure));
    co_return deletion_outcome_from(done.one().as<std::string_view>("outcome"));
}

boost::asio::awaitable<std::vector<waiting_message>> bot_store::waiting(
    bot_id bot, std::vector<chat_id> except, int most, deadline by) {
    const auto found = co_await pool_->run(by, waiting_query, bot, most, except);
    co_return found.map(&waiting_from);
}

boost::asio::awaitable<void> bot_store::note_progress(
    message_row_id id, message_progress now, deadline by) {
    co_await pool_->run(by, note_progress_query, id, now.message, now.shown, now.parts_sent);
}

boost::asio::awaitable<void> bot_store::begin_question(
    message_row_id id, std::vector<std::string> if_interrupted, deadline by) {
    co_await pool_->run(by, begin_question_query, id, if_interrupted);
}

boost::asio::awaitable<void> bot_store::answer_question(
    message_row_id id, std::vector<std::string> parts, deadline by) {
    co_await pool_->run(by, answer_question_query, id, parts);
}

boost::asio::awaitable<void> bot_store::forget(message_row_id id, deadline by) {
    co_await pool_->run(by, forget_query, id);
}

boost::asio::awaitable<void> bot_store::forget_chat(chat_id chat, deadline by) {
    co_await pool_->run(by, forget_chat_query, chat);
}

}  // namespace reelsd::chats
