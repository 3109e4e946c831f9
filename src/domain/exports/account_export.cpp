#include <reelsd/db/pool.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace reelsd::exports {
namespace {

/// A reel with its pictures takes about 200 KB, and at most 2.2 MB.
constexpr int reels_at_once = 8;
/// Other rows take less than 1 KB, deliveries a little more.
constexpr int rows_at_once = 200;

// What the export contains is bounded by ids, because clocks may be set back and ids only grow.
constexpr db::query begin_query{"exports.begin", R"sql(
    SELECT (SELECT coalesce(max(id), 0) FROM api_token) AS last_token,
           (SELECT count(*) FROM web_session WHERE account_id = $1) AS sessions,
           (SELECT coalesce(max(id), 0) FROM linked_chat) AS last_chat,
           (SELECT coalesce(max(id), 0) FROM saved_search) AS last_search,
           (SELECT coalesce(max(id), 0) FROM webhook_delivery) AS last_delivery,
           (SELECT coalesce(max(id), 0) FROM model_call) AS last_call)sql"};

// Each part reads up to $3 rows after the id $2 and up to the id $4, by id. Hashes of passwords,
// tokens and sessions and the secrets of webhooks are not exported. `= ANY (ARRAY[...])` and the
// order by account make the planner use the account's index, as in erase_some(): see
// docs/adr/0025.
constexpr db::query account_query{"exports.account", R"sql(
    SELECT line.id AS position, row_to_json(line)::text AS line FROM (
        SELECT 'account' AS type, id, email, is_admin, rfc3339(created_at) AS created_at,
               rfc3339(disabled_at) AS disabled_at, submissions_per_minute, concurrent_jobs,
               requests_per_minute, queued_jobs,
               trim_scale(monthly_budget_usd) AS monthly_budget_usd,
               rfc3339(now()) AS exported_at
          FROM account WHERE id = $1 AND id > $2 AND id <= $4 LIMIT $3) AS line)sql"};

constexpr db::query tokens_query{"exports.tokens", R"sql(
    SELECT id AS position, row_to_json(line)::text AS line FROM (
        SELECT 'token' AS type, id, name, prefix, rfc3339(created_at) AS created_at,
               rfc3339(last_used_at) AS last_used_at, rfc3339(revoked_at) AS revoked_at,
               scope, rfc3339(expires_at) AS expires_at
          FROM api_token WHERE account_id = ANY (ARRAY[$1::bigint]) AND id > $2 AND id <= $4
         ORDER BY account_id, id LIMIT $3) AS line
     ORDER BY id)sql"};

// Sessions have no id: they are read by age, and no more than there were.
constexpr db::query sessions_query{"exports.sessions", R"sql(
    SELECT $2 + row_number() OVER () AS position, row_to_json(line)::text AS line FROM (
        SELECT 'session' AS type, rfc3339(created_at) AS created_at,
               rfc3339(last_seen_at) AS last_seen_at, rfc3339(expires_at) AS expires_at, user_agent
          FROM web_session WHERE account_id = $1
         ORDER BY web_session.created_at, hash
        OFFSET $2::bigint
         LIMIT greatest(0, least($3::bigint, $4::bigint - $2::bigint))) AS line)sql"};

constexpr db::query webhook_query{"exports.webhook", R"sql(
    SELECT account_id AS position, row_to_json(line)::text AS line
      FROM webhook_default,
           LATERAL (SELECT 'webhook' AS type, webhook_default.url,
                           webhook_default.events,
                           rfc3339(now()) AS exported_at) AS line
     WHERE account_id = $1 AND account_id > $2 AND account_id <= $4 LIMIT $3)sql"};

constexpr db::query chats_query{"exports.chats", R"sql(
    SELECT id AS position, row_to_json(line)::text AS line FROM (
        SELECT 'chat' AS type, id, chat_id, kind, name, rfc3339(linked_at) AS tied_at
          FROM linked_chat WHERE account_id = $1 AND id > $2 AND id <= $4
         ORDER BY id LIMIT $3) AS line
     ORDER BY id)sql"};

constexpr db::query searches_query{"exports.saved_searches", R"sql(
    SELECT id AS position, row_to_json(line)::text AS line FROM (
        SELECT 'saved_search' AS type, id, name, query, author, min_score,
               rfc3339(created_at) AS created_at
          FROM saved_search WHERE account_id = $1 AND id > $2 AND id <= $4
         ORDER BY id LIMIT $3) AS line
     ORDER BY id)sql"};

constexpr db::query deliveries_query{"exports.deliveries", R"sql(
    SELECT id AS position, row_to_json(line)::text AS line FROM (
        SELECT 'delivery' AS type, id, message_id, coalesce(job_id, matched_job_id) AS job_id,
               search_id, url, state, tries, status_code, cause, took_seconds AS seconds,
               answer AS body,
               rfc3339(created_at) AS created_at, rfc3339(tried_at) AS tried_at,
               rfc3339(ended_at) AS ended_at
          FROM webhook_delivery
         WHERE account_id = ANY (ARRAY[$1::bigint]) AND id > $2 AND id <= $4
         ORDER BY account_id DESC, id LIMIT $3) AS line
     ORDER BY id)sql"};

// An account's calls have an index by time only: up to the id $4, after the time $5 and the id $2.
constexpr db::query calls_query{"exports.model_calls", R"sql(
    SELECT call.id AS position, call.called_at, row_to_json(line)::text AS line
      FROM (SELECT * FROM model_call
             WHERE account_id = ANY (ARRAY[$1::bigint]) AND called_at >= $5
               AND (called_at, id) > ($5, $2) AND id <= $4
             ORDER BY account_id, called_at, id LIMIT $3) AS call,
           LATERAL (
               SELECT 'model_call' AS type, id, job_id, number, purpose, provider, model,
                      rfc3339(called_at) AS called_at, rfc3339(settled_at) AS settled_at,
                      prompt_tokens, cached_prompt_tokens, output_tokens, thinking_tokens,
                      audio_seconds,
                      trim_scale(cost_usd) AS cost_usd, modalities) AS line
     ORDER BY call.called_at, call.id)sql"};

/// In the order of the lines and of read_last_ids(). Null: the reels, which domain/jobs reads.
constexpr std::array<const db::query*, 9> parts{
    &account_query,
    &tokens_query,
    &sessions_query,
    &webhook_query,
    &chats_query,
    &searches_query,
    nullptr,
    &deliveries_query,
    &calls_query};

/// Line breaks in JSON are only between tokens, where whitespace mean the same.
void append_line(std::string& text, std::string_view line) {
    const auto begin = static_cast<std::ptrdiff_t>(text.size());
    text.append(line);
    std::replace_if(
        text.begin() + begin, text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text.push_back('\n');
}

/// The reel as GET shows it, with its other data.
std::string reel_line(const jobs::exported_job& job) {
    auto view = jobs::job_view(job.reel);
    view.pop_back();  // The closing brace.
    return fmt::format(R"({{"type":"reel",{},{})", view.substr(1), job.more.substr(1));
}

}  // namespace

awaitable<std::optional<std::string>> account_export::next(deadline by) {
    if (is_over_) co_return std::nullopt;
    if (!last_ids_) last_ids_ = co_await read_last_ids(by);
    while (part_ < parts.size()) {
        const bool is_reels = parts.at(part_) == nullptr;
        page read;
        if (is_reels) {
            read = co_await read_reels(by);
        } else {
            read = co_await read_page(by);
        }
        lines_ += read.rows;
        after_ = read.last_id;
        after_at_ = read.last_at;
        if (read.rows < (is_reels ? reels_at_once : rows_at_once)) {
            ++part_;
            after_ = 0;
            after_at_ = {};
        }
        if (read.rows > 0) co_return std::move(read.text);
    }
    is_over_ = true;
    co_return fmt::format("{{\"type\":\"end\",\"lines\":{}}}\n", lines_);
}

awaitable<std::vector<std::int64_t>> account_export::read_last_ids(deadline by) {
    const auto begun = co_await pool_->run(by, begin_query, account_);
    const auto last_job = co_await jobs::job_store{*pool_}.last_id(by);
    const auto row = begun.one();
    co_return std::vector{
        account_.value,
        row.as<std::int64_t>("last_token"),
        row.as<std::int64_t>("sessions"),
        account_.value,
        row.as<std::int64_t>("last_chat"),
        row.as<std::int64_t>("last_search"),
        last_job.value,
        row.as<std::int64_t>("last_delivery"),
        row.as<std::int64_t>("last_call")};
}

awaitable<account_export::page> account_export::read_reels(deadline by) {
    const job_id last{last_ids_->at(part_)};
    const auto found = co_await jobs::job_store{*pool_}.export_page(
        account_, job_id{after_}, last, reels_at_once, by);
    page read{.text = {}, .rows = 0, .last_id = after_, .last_at = after_at_};
    for (const auto& job : found) {
        append_line(read.text, reel_line(job));
        read.last_id = job.reel.id.value;
        ++read.rows;
    }
    co_return read;
}

awaitable<account_export::page> account_export::read_page(deadline by) {
    const auto& query = *parts.at(part_);
    const bool of_calls = &query == &calls_query;
    std::vector<db::parameter> parameters{account_, after_, rows_at_once, last_ids_->at(part_)};
    if (of_calls) parameters.emplace_back(after_at_);
    const auto found = co_await pool_->run_with(by, query, std::move(parameters));
    page read{.text = {}, .rows = 0, .last_id = after_, .last_at = after_at_};
    for (const db::row row : found) {
        append_line(read.text, row.as<std::string_view>("line"));
        read.last_id = row.as<std::int64_t>("position");
        if (of_calls) read.last_at = row.as<time_point>("called_at");
        ++read.rows;
    }
    co_return read;
}

}  // namespace reelsd::exports
