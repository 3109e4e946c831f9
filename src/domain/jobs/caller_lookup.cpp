#include "job_rows.hpp"
#include "view_cache.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace reelsd::jobs {
namespace {

// A caller has few tokens and many requests: each token is looked up once. A row whose version is
// that of a view that is kept has not changed since, and is not read again.
constexpr db::query find_with_callers_query{"reels.find_with_callers", R"sql(
    WITH caller AS MATERIALIZED (
        SELECT shown.number, account.id AS account, account.requests_per_minute,
               api_token.id AS token, ended_reels.xmin::text AS ended_reels_version
          FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
          JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
          JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
          LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)
    SELECT wanted.number, caller.account, caller.token, caller.requests_per_minute,
           caller.ended_reels_version, pg_postmaster_start_time()::text AS server,
           job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at,
           job.error_code, job.error,
           failure_cause(job.*) AS failure_cause, retry_after(job.*) AS retry_after,
           job.xmin::text AS version,
           coalesce(job.xmin = wanted.version, false) AS stands,
           CASE WHEN job.xmin = wanted.version THEN NULL ELSE job.result END AS result,
           place.queue_position, place.expected_start_at
      FROM unnest($2::integer[], $3::bigint[], $4::xid[])
           WITH ORDINALITY AS wanted (shown, job, version, number)
      JOIN caller ON caller.number = wanted.shown
      LEFT JOIN job ON job.id = wanted.job AND job.account_id = caller.account
      LEFT JOIN LATERAL queue_places(
               CASE WHEN job.status = 'pending' THEN job.account_id END, job.id) AS place
             ON true)sql"};

// One row for each token, however many show it.
constexpr db::query find_callers_query{"reels.find_callers", R"sql(
    SELECT shown.number, account.id AS account, account.requests_per_minute,
           api_token.id AS token, ended_reels.xmin::text AS ended_reels_version,
           pg_postmaster_start_time()::text AS server
      FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
      JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
      JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
      LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)sql"};

struct known_caller {
    std::optional<accounts::caller> caller = {};
    /// Of the caller's ended reels, all together. Nothing: none of them may be kept.
    std::optional<std::string> ended_reels_version = {};
};

struct reel_question {
    accounts::token_hash token;
    job_id reel;
    std::string version = {};  ///< Of the view that is kept, if there is one.
};

struct looked_up_reel {
    std::optional<accounts::caller> caller = {};
    /// Null when there is none, or when it was not read.
    std::shared_ptr<const std::string> reel = {};
    bool has_ended = false;
    /// Not read, because the view that is kept is as it is now.
    bool stands = false;
};

/// Tokens as a parameter, each of them once.
class token_cache {
public:
    /// Its number, from 1 on. The token must outlive this.
    std::int32_t number_of(const accounts::token_hash& token) {
        const auto hash = std::as_bytes(std::span{token});
        const auto same = [hash](std::span<const std::byte> known) {
            return std::equal(known.begin(), known.end(), hash.begin(), hash.end());
        };
        auto place = std::find_if(hashes_.begin(), hashes_.end(), same);
        if (place == hashes_.end()) place = hashes_.insert(place, hash);
        return static_cast<std::int32_t>(place - hashes_.begin()) + 1;
    }
    [[nodiscard]] const std::vector<std::span<const std::byte>>& hashes() const { return hashes_; }

private:
    std::vector<std::span<const std::byte>> hashes_;
};

known_caller caller_from(const db::row& row) {
    const accounts::caller found{
        .account = row.as<account_id>("account"),
        .token = row.as<token_id>("token"),
        .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")};
    return {
        .caller = found,
        .ended_reels_version = row.as<std::optional<std::string>>("ended_reels_version")};
}

std::shared_ptr<const std::string> text_of(std::shared_ptr<const reel_view> view) {
    const auto* const text = &view->text;
    return {std::move(view), text};
}

looked_up_reel answer_from(const db::row& row, view_cache& kept) {
    kept.note_server(row.as<std::string_view>("server"));
    const auto [caller, ended_reels_version] = caller_from(row);
    looked_up_reel answer{.caller = caller, .stands = row.as<bool>("stands")};
    if (row.is_null("id")) return answer;
    if (answer.stands) {
        if (ended_reels_version) {
            const auto version = row.as<std::string_view>("version");
            kept.confirm(row.as<job_id>("id"), version, *ended_reels_version);
        }
        return answer;
    }
    auto reel = whole_job_from(row);
    read_place(row, reel);
    const auto view = std::make_shared<reel_view>(reel_view{
        .text = job_view(reel),
        .owner = caller->account,
        .version = row.as<std::string>("version"),
        .ended_reels_version = ended_reels_version.value_or("")});
    answer.reel = text_of(view);
    answer.has_ended = has_ended(reel.status);
    if (reel.finished_at && ended_reels_version) {
        kept.keep(reel.id, view);
    } else {
        kept.forget(reel.id);
    }
    return answer;
}

/// Nothing when the row cannot be read, which is then for its own question to tell: what a newer
/// program has written for one account must not fail the others.
std::optional<looked_up_reel> readable_answer(const db::row& row, view_cache& kept) {
    try {
        return answer_from(row, kept);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

boost::asio::awaitable<std::vector<std::optional<known_caller>>> find_callers(
    db::pool& pool, view_cache& kept, const std::vector<accounts::token_hash>& tokens,
    deadline by) {
    token_cache sent;
    std::vector<std::int32_t> shown;
    shown.reserve(tokens.size());
    for (const auto& token : tokens) shown.push_back(sent.number_of(token));
    const auto found = co_await pool.run(by, find_callers_query, sent.hashes());
    std::vector<known_caller> callers(sent.hashes().size());
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= callers.size());
        kept.note_server(row.as<std::string_view>("server"));
        callers[number - 1] = caller_from(row);
    }
    std::vector<std::optional<known_caller>> answers;
    answers.reserve(tokens.size());
    for (const auto number : shown) {
        answers.emplace_back(callers[static_cast<std::size_t>(number) - 1]);
    }
    co_return answers;
}

boost::asio::awaitable<std::vector<std::optional<looked_up_reel>>> find_reels(
    db::pool& pool, view_cache& kept, const std::vector<reel_question>& questions, deadline by) {
    token_cache sent;
    std::vector<std::int32_t> shown;
    std::vector<job_id> reels;
    std::vector<std::optional<std::string_view>> versions;
    for (const auto& one : questions) {
        shown.push_back(sent.number_of(one.token));
        reels.push_back(one.reel);
        versions.emplace_back();
        if (!one.version.empty()) versions.back() = one.version;
    }
    const auto found =
        co_await pool.run(by, find_with_callers_query, sent.hashes(), shown, reels, versions);
    std::vector<std::optional<looked_up_reel>> answers(questions.size(), looked_up_reel{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= answers.size());
        answers[number - 1] =
            questions.size() > 1 ? readable_answer(row, kept) : answer_from(row, kept);
    }
    co_return answers;
}

}  // namespace

struct caller_lookup::batches {
    view_cache kept;
    /// Apart from those that want a reel: a row for each token, not for each that shows it.
    db::shared_statement<accounts::token_hash, known_caller> callers;
    db::shared_statement<reel_question, looked_up_reel> reels;

    batches(
        const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& pool,
        std::size_t kept_bytes_max)
        : kept{kept_bytes_max},
          callers{
              loop,
              tasks,
              callers_shared,
              [this, &pool](const std::vector<accounts::token_hash>& tokens, deadline by) {
                  return find_callers(pool, kept, tokens, by);
              }},
          reels{
              loop,
              tasks,
              reels_shared,
              [this, &pool](const std::vector<reel_question>& questions, deadline by) {
                  return find_reels(pool, kept, questions, by);
              }} {}

    /// As many as the loop answers in a few milliseconds: with more, the server would stand still
    /// meanwhile. Reading a reel's row takes as long as the rest of its answer.
    static constexpr db::batching callers_shared{.batch_size_max = 128};
    static constexpr db::batching reels_shared{.batch_size_max = 64};
};

caller_lookup::caller_lookup(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool,
    std::size_t kept_bytes_max)
    : statements_{std::make_shared<batches>(loop, tasks, pool, kept_bytes_max)} {}

caller_lookup::~caller_lookup() = default;
caller_lookup::caller_lookup(const caller_lookup&) = default;

cache_limits caller_lookup::kept() const noexcept {
    const auto& kept = statements_->kept;
    return {.taken = kept.bytes(), .most = kept.bytes_max()};
}

boost::asio::awaitable<std::optional<accounts::caller>> caller_lookup::find(
    accounts::token_hash token, deadline by) {
    const auto found = (co_await statements_->callers.answer(token, by)).value();
    co_return found.caller;
}

boost::asio::awaitable<caller_and_reel> caller_lookup::find_with_reel(
    accounts::token_hash token, job_id reel, deadline by) {
    auto& kept = statements_->kept;
    const auto known = kept.find(reel);
    const auto generation = kept.generation();
    reel_question asked{.token = token, .reel = reel};
    if (known) {
        const auto found = (co_await statements_->callers.answer(token, by)).value();
        if (!found.caller) co_return caller_and_reel{};
        const bool is_owner = found.caller->account == known->owner;
        const bool stands = is_owner && found.ended_reels_version == known->ended_reels_version;
        if (stands && kept.generation() == generation) {
            co_return caller_and_reel{
                .caller = found.caller, .reel = text_of(known), .has_ended = true};
        }
        if (kept.generation() == generation) asked.version = known->version;
    }
    auto found = (co_await statements_->reels.answer(asked, by)).value();
    if (found.stands && kept.generation() != generation) {
        asked.version.clear();
        found = (co_await statements_->reels.answer(asked, by)).value();
    }
    if (!found.caller) co_return caller_and_reel{};
    if (found.stands) {
        co_return caller_and_reel{
            .caller = found.caller, .reel = text_of(known), .has_ended = true};
    }
    // A stranger who tries ids must not empty what others read.
    if (known && !found.reel && found.caller->account == known->owner) kept.forget(reel);
    co_return caller_and_reel{
        .caller = found.caller, .reel = found.reel, .has_ended = found.has_ended};
}

}  // namespace reelsd::jobs
