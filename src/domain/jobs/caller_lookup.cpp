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
#include <span>
#include <utility>
#include <vector>

namespace reelsd::jobs {
namespace {

// Looks each token up once, because a caller has few tokens and many requests. Does not read the
// result of a row whose version is that of a cached view.
constexpr db::query find_with_callers_query{"reels.find_with_callers", R"sql(
    WITH caller AS MATERIALIZED (
        SELECT shown.number, account.id AS account, account.requests_per_minute,
               api_token.id AS token, api_token.scope,
               ended_reels.xmin::text AS ended_reels_version
          FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
          JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
           AND (api_token.expires_at IS NULL OR api_token.expires_at > now())
          JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
          LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)
    SELECT requested.number, caller.account, caller.token, caller.scope,
           caller.requests_per_minute,
           caller.ended_reels_version, pg_postmaster_start_time()::text AS server,
           job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at,
           job.error_code, job.error, job.options,
           failure_cause(job.*) AS failure_cause, retry_after(job.*) AS retry_after,
           stored.version,
           coalesce(stored.version = requested.version, false) AS is_current,
           CASE WHEN stored.version = requested.version THEN NULL ELSE job.result END AS result,
           CASE WHEN stored.version = requested.version THEN NULL ELSE job.extract END AS extract,
           job.extract_error,
           video.id IS NOT NULL AS has_video,
           place.queue_position, place.expected_start_at
      FROM unnest($2::integer[], $3::bigint[], $4::text[])
           WITH ORDINALITY AS requested (shown, job, version, number)
      JOIN caller ON caller.number = requested.shown
      LEFT JOIN job ON job.id = requested.job AND job.account_id = caller.account
      LEFT JOIN upload AS video ON video.job_id = job.id AND video.kept_at IS NOT NULL
      LEFT JOIN LATERAL (
               SELECT job.xmin::text || coalesce(' ' || video.id, '') AS version) AS stored
             ON true
      LEFT JOIN LATERAL queue_places(
               CASE WHEN job.status = 'pending' THEN job.account_id END, job.id) AS place
             ON true)sql"};

// One row for each token, however many requests have it.
constexpr db::query find_callers_query{"reels.find_callers", R"sql(
    SELECT shown.number, account.id AS account, account.requests_per_minute,
           api_token.id AS token, api_token.scope,
           ended_reels.xmin::text AS ended_reels_version,
           pg_postmaster_start_time()::text AS server
      FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
      JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
       AND (api_token.expires_at IS NULL OR api_token.expires_at > now())
      JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
      LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)sql"};

struct known_caller {
    std::optional<accounts::caller> caller = {};
    /// Of all of the caller's ended reels together. Empty: they must not be cached.
    std::optional<std::string> ended_reels_version = {};
};

struct reel_request {
    accounts::token_hash token;
    job_id reel;
    std::string version = {};  ///< Version of the cached view; empty if there is none.
};

struct reel_answer {
    std::optional<accounts::caller> caller = {};
    /// Null when there is no reel, or when it was not read.
    std::shared_ptr<const std::string> reel = {};
    bool has_ended = false;
    bool is_cached = false;  ///< Not read, because the cached view is current.
};

/// Distinct tokens, as a parameter.
class token_list {
public:
    /// Returns the token's number, from 1. The token outlives this.
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
    return {
        .caller =
            accounts::caller{
                .account = row.as<account_id>("account"),
                .token = row.as<token_id>("token"),
                .scope = row.as<token_scope>("scope"),
                .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")},
        .ended_reels_version = row.as<std::optional<std::string>>("ended_reels_version")};
}

std::shared_ptr<const std::string> text_of(std::shared_ptr<const reel_view> view) {
    const auto* const text = &view->text;
    return {std::move(view), text};
}

reel_answer answer_from(const db::row& row, view_cache& cache) {
    cache.note_server(row.as<std::string_view>("server"));
    const auto [caller, ended_reels_version] = caller_from(row);
    reel_answer answer{.caller = caller, .is_cached = row.as<bool>("is_current")};
    if (row.is_null("id")) return answer;
    if (answer.is_cached) {
        if (ended_reels_version) {
            const auto version = row.as<std::string_view>("version");
            cache.confirm(row.as<job_id>("id"), version, *ended_reels_version);
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
        cache.put(reel.id, view);
    } else {
        cache.forget(reel.id);
    }
    return answer;
}

/// Returns nothing when the row cannot be read, such as a row that a newer program wrote: the
/// request is then retried alone, so that it does not fail the others.
std::optional<reel_answer> readable_answer(const db::row& row, view_cache& cache) {
    try {
        return answer_from(row, cache);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

awaitable<std::vector<std::optional<known_caller>>> find_callers(
    db::pool& pool, view_cache& cache, const std::vector<accounts::token_hash>& tokens,
    deadline by) {
    token_list distinct;
    std::vector<std::int32_t> numbers;
    numbers.reserve(tokens.size());
    for (const auto& token : tokens) numbers.push_back(distinct.number_of(token));
    const auto found = co_await pool.run(by, find_callers_query, distinct.hashes());
    std::vector<known_caller> callers(distinct.hashes().size());
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= callers.size());
        cache.note_server(row.as<std::string_view>("server"));
        callers[number - 1] = caller_from(row);
    }
    std::vector<std::optional<known_caller>> answers;
    answers.reserve(tokens.size());
    for (const auto number : numbers) {
        answers.emplace_back(callers[static_cast<std::size_t>(number) - 1]);
    }
    co_return answers;
}

awaitable<std::vector<std::optional<reel_answer>>> find_reels(
    db::pool& pool, view_cache& cache, const std::vector<reel_request>& requests, deadline by) {
    token_list tokens;
    std::vector<std::int32_t> numbers;
    std::vector<job_id> reels;
    std::vector<std::optional<std::string_view>> versions;
    for (const auto& request : requests) {
        numbers.push_back(tokens.number_of(request.token));
        reels.push_back(request.reel);
        versions.emplace_back();
        if (!request.version.empty()) versions.back() = request.version;
    }
    const auto found =
        co_await pool.run(by, find_with_callers_query, tokens.hashes(), numbers, reels, versions);
    std::vector<std::optional<reel_answer>> answers(requests.size(), reel_answer{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= answers.size());
        answers[number - 1] =
            requests.size() > 1 ? readable_answer(row, cache) : answer_from(row, cache);
    }
    co_return answers;
}

}  // namespace

struct caller_lookup::batches {
    view_cache cache;
    /// Look-ups without a reel need one row for each token, not for each request.
    db::shared_statement<accounts::token_hash, known_caller> callers;
    db::shared_statement<reel_request, reel_answer> reels;

    batches(
        const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& pool,
        std::size_t cache_bytes_max)
        : cache{cache_bytes_max},
          callers{
              loop,
              tasks,
              caller_batches,
              [this, &pool](const std::vector<accounts::token_hash>& tokens, deadline by) {
                  return find_callers(pool, cache, tokens, by);
              }},
          reels{
              loop,
              tasks,
              reel_batches,
              [this, &pool](const std::vector<reel_request>& requests, deadline by) {
                  return find_reels(pool, cache, requests, by);
              }} {}

    /// As many as the loop answers in a few milliseconds, because larger batches would leave the
    /// server idle. Reading a reel's row doubles the time of its answer.
    static constexpr db::batching caller_batches{.batch_size_max = 128};
    static constexpr db::batching reel_batches{.batch_size_max = 64};
};

caller_lookup::caller_lookup(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool,
    std::size_t cache_bytes_max)
    : statements_{std::make_shared<batches>(loop, tasks, pool, cache_bytes_max)} {}

caller_lookup::~caller_lookup() = default;
caller_lookup::caller_lookup(const caller_lookup&) = default;

cache_limits caller_lookup::kept() const noexcept {
    const auto& cache = statements_->cache;
    return {.taken = cache.bytes(), .most = cache.bytes_max()};
}

awaitable<std::optional<accounts::caller>> caller_lookup::find(
    accounts::token_hash token, deadline by) {
    const auto found = (co_await statements_->callers.answer(token, by)).value();
    co_return found.caller;
}

awaitable<caller_and_reel> caller_lookup::find_with_reel(
    accounts::token_hash token, job_id reel, deadline by) {
    auto& cache = statements_->cache;
    const auto cached = cache.find(reel);
    const auto generation = cache.generation();
    reel_request request{.token = token, .reel = reel};
    if (cached) {
        const auto found = (co_await statements_->callers.answer(token, by)).value();
        if (!found.caller) co_return caller_and_reel{};
        const bool is_owner = found.caller->account == cached->owner;
        const bool is_current =
            is_owner && found.ended_reels_version == cached->ended_reels_version;
        if (is_current && cache.generation() == generation) {
            co_return caller_and_reel{
                .caller = found.caller, .reel = text_of(cached), .has_ended = true};
        }
        if (cache.generation() == generation) request.version = cached->version;
    }
    auto found = (co_await statements_->reels.answer(request, by)).value();
    if (found.is_cached && cache.generation() != generation) {
        request.version.clear();
        found = (co_await statements_->reels.answer(request, by)).value();
    }
    if (!found.caller) co_return caller_and_reel{};
    if (found.is_cached) {
        co_return caller_and_reel{
            .caller = found.caller, .reel = text_of(cached), .has_ended = true};
    }
    // Another account that tries ids must not evict the owner's view.
    if (cached && !found.reel && found.caller->account == cached->owner) cache.forget(reel);
    co_return caller_and_reel{
        .caller = found.caller, .reel = found.reel, .has_ended = found.has_ended};
}

}  // namespace reelsd::jobs
