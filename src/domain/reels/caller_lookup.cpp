#include "../jobs/job_rows.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/job_view.hpp>
#include <reelsd/domain/reels/caller_lookup.hpp>
#include <reelsd/domain/reels/view_cache.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace reelsd::reels {
namespace {

// A caller has few tokens and many requests: each token is looked up once. A row whose version is
// that of a view that is kept has not changed since, and is not read again.
constexpr db::query find_with_callers_query{"reels.find_with_callers", R"sql(
    WITH caller AS MATERIALIZED (
        SELECT shown.number, account.id AS account, account.requests_per_minute,
               api_token.id AS token, ended_reels.xmin AS ended_reels_version
          FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
          JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
          JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
          LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)
    SELECT wanted.number, caller.account, caller.token, caller.requests_per_minute,
           caller.ended_reels_version,
           job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at,
           job.error_code, job.error, job.xmin AS version,
           coalesce(job.xmin = wanted.version, false) AS stands,
           CASE WHEN job.xmin = wanted.version THEN NULL ELSE job.result END AS result
      FROM unnest($2::integer[], $3::bigint[], $4::xid[])
           WITH ORDINALITY AS wanted (shown, job, version, number)
      JOIN caller ON caller.number = wanted.shown
      LEFT JOIN job ON job.id = wanted.job AND job.account_id = caller.account)sql"};

// Where nothing but the caller is asked for: one row for each token, whoever shows it.
constexpr db::query find_callers_query{"reels.find_callers", R"sql(
    SELECT shown.number, account.id AS account, account.requests_per_minute,
           api_token.id AS token, ended_reels.xmin AS ended_reels_version
      FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
      JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
      JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL
      LEFT JOIN ended_reels_version AS ended_reels ON ended_reels.account_id = account.id)sql"};

struct question {
    accounts::token_hash token;
    std::optional<job_id> reel = {};
    std::string version = {};  ///< Of the view that is kept, if there is one.
};

struct looked_up {
    std::optional<accounts::caller> caller = {};
    /// Of the caller's ended reels, all together. Nothing: none of them may be kept.
    std::optional<std::string> ended_reels_version = {};
    /// Null when there is none, or when it was not read.
    std::shared_ptr<const std::string> reel = {};
    /// Not read, because the view that is kept is as it is now.
    bool stands = false;
};

/// The parameters of the statement: each token once, and which of them a question shows.
struct shown_tokens {
    std::vector<std::span<const std::byte>> hashes;
    std::vector<std::int32_t> shown;  ///< From 1 on.
    std::vector<std::optional<job_id>> reels;
    std::vector<std::optional<std::string_view>> versions;
};

shown_tokens shown_by(const std::vector<question>& questions) {
    shown_tokens sent;
    for (const auto& one : questions) {
        const auto hash = std::as_bytes(std::span{one.token});
        const auto same = [hash](std::span<const std::byte> known) {
            return std::equal(known.begin(), known.end(), hash.begin(), hash.end());
        };
        auto place = std::find_if(sent.hashes.begin(), sent.hashes.end(), same);
        if (place == sent.hashes.end()) place = sent.hashes.insert(place, hash);
        sent.shown.push_back(static_cast<std::int32_t>(place - sent.hashes.begin()) + 1);
        sent.reels.push_back(one.reel);
        sent.versions.emplace_back();
        if (!one.version.empty()) sent.versions.back() = one.version;
    }
    return sent;
}

looked_up caller_from(const db::row& row) {
    const accounts::caller found{
        .account = row.as<account_id>("account"),
        .token = row.as<token_id>("token"),
        .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")};
    return {
        .caller = found,
        .ended_reels_version = row.as<std::optional<std::string>>("ended_reels_version")};
}

looked_up answer_from(const db::row& row, view_cache& kept) {
    auto answer = caller_from(row);
    answer.stands = row.as<bool>("stands");
    if (row.is_null("id")) return answer;
    const auto& version = answer.ended_reels_version;
    if (answer.stands) {
        if (version) {
            kept.confirm(row.as<job_id>("id"), row.as<std::string_view>("version"), *version);
        }
        return answer;
    }
    auto reel = jobs::job_from(row);
    reel.result = row.as<std::optional<std::string>>("result");
    answer.reel = std::make_shared<const std::string>(jobs::job_view(reel));
    if (!reel.finished_at || !version) {
        kept.forget(reel.id);
        return answer;
    }
    kept.keep(
        reel.id,
        {.text = answer.reel,
         .owner = answer.caller->account,
         .version = row.as<std::string>("version"),
         .ended_reels_version = *version});
    return answer;
}

/// Nothing when the row cannot be read, which is then for its own question to tell: what a newer
/// program has written for one account must not fail the others.
std::optional<looked_up> readable_answer(const db::row& row, view_cache& kept) {
    try {
        return answer_from(row, kept);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

using answers_of_all = std::vector<std::optional<looked_up>>;

boost::asio::awaitable<answers_of_all> find_all(
    db::pool& pool, view_cache& kept, const std::vector<question>& questions, deadline by) {
    const auto sent = shown_by(questions);
    const auto found = co_await pool.run(
        by, find_with_callers_query, sent.hashes, sent.shown, sent.reels, sent.versions);
    answers_of_all answers(questions.size(), looked_up{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= answers.size());
        answers[number - 1] =
            questions.size() > 1 ? readable_answer(row, kept) : answer_from(row, kept);
    }
    co_return answers;
}

boost::asio::awaitable<answers_of_all> find_callers(
    db::pool& pool, const std::vector<question>& questions, deadline by) {
    const auto sent = shown_by(questions);
    const auto found = co_await pool.run(by, find_callers_query, sent.hashes);
    std::vector<looked_up> callers(sent.hashes.size());
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= callers.size());
        callers[number - 1] = caller_from(row);
    }
    answers_of_all answers;
    answers.reserve(questions.size());
    for (const auto shown : sent.shown) {
        answers.emplace_back(callers[static_cast<std::size_t>(shown) - 1]);
    }
    co_return answers;
}

boost::asio::awaitable<answers_of_all> look_up_all(
    db::pool& pool, view_cache& kept, const std::vector<question>& questions, deadline by) {
    const auto wants_reel = [](const question& one) { return one.reel.has_value(); };
    if (std::any_of(questions.begin(), questions.end(), wants_reel))
        co_return co_await find_all(pool, kept, questions, by);
    co_return co_await find_callers(pool, questions, by);
}

}  // namespace

struct caller_lookup::sharing_statements {
    view_cache kept;
    db::shared_statement<question, looked_up> lookups;

    sharing_statements(
        const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& pool,
        std::size_t kept_bytes_max)
        : kept{kept_bytes_max},
          lookups{
              loop,
              tasks,
              shared,
              [this, &pool](const std::vector<question>& questions, deadline by) {
                  return look_up_all(pool, kept, questions, by);
              }} {}

    /// As many as the loop answers in a few milliseconds: with more, the server would stand still
    /// meanwhile.
    static constexpr db::sharing shared{.questions_max = 64};
};

caller_lookup::caller_lookup(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool,
    std::size_t kept_bytes_max)
    : statements_{std::make_shared<sharing_statements>(loop, tasks, pool, kept_bytes_max)} {}

caller_lookup::~caller_lookup() = default;
caller_lookup::caller_lookup(const caller_lookup&) = default;

boost::asio::awaitable<std::optional<accounts::caller>> caller_lookup::find(
    accounts::token_hash token, deadline by) {
    const question asked{.token = token};
    const auto found = co_await statements_->lookups.answer(asked, by);
    co_return found.caller;
}

boost::asio::awaitable<caller_and_reel> caller_lookup::find_with_reel(
    accounts::token_hash token, job_id reel, deadline by) {
    const auto known = statements_->kept.find(reel);
    question asked{.token = token};
    if (known) {
        const auto found = co_await statements_->lookups.answer(asked, by);
        if (!found.caller) co_return caller_and_reel{};
        const bool is_owner = found.caller->account == known->owner;
        if (is_owner && found.ended_reels_version == known->ended_reels_version) {
            co_return caller_and_reel{.caller = found.caller, .reel = known->text};
        }
        asked.version = known->version;
    }
    asked.reel = reel;
    auto found = co_await statements_->lookups.answer(asked, by);
    if (!found.caller) co_return caller_and_reel{};
    if (found.stands) co_return caller_and_reel{.caller = found.caller, .reel = known->text};
    // A stranger who tries ids must not empty what others read.
    if (known && !found.reel && found.caller->account == known->owner) {
        statements_->kept.forget(reel);
    }
    co_return caller_and_reel{.caller = found.caller, .reel = found.reel};
}

}  // namespace reelsd::reels
