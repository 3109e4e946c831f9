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

// A caller has few tokens and many requests: each token is looked up once.
constexpr db::query find_with_callers_query{"reels.find_with_callers", R"sql(
    WITH caller AS MATERIALIZED (
        SELECT shown.number, account.id AS account, account.requests_per_minute,
               api_token.id AS token
          FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
          JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
          JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL)
    SELECT wanted.number, caller.account, caller.token, caller.requests_per_minute,
           job.id, job.url, job.status, job.created_at, job.started_at, job.finished_at,
           job.error_code, job.error, job.result, job.xmin AS version
      FROM unnest($2::integer[], $3::bigint[]) WITH ORDINALITY AS wanted (shown, job, number)
      JOIN caller ON caller.number = wanted.shown
      LEFT JOIN job ON job.id = wanted.job AND job.account_id = caller.account)sql"};

// Of reels whose views are kept: a row's version says that it is there and unchanged.
constexpr db::query check_with_callers_query{"reels.check_with_callers", R"sql(
    WITH caller AS MATERIALIZED (
        SELECT shown.number, account.id AS account, account.requests_per_minute,
               api_token.id AS token
          FROM unnest($1::bytea[]) WITH ORDINALITY AS shown (hash, number)
          JOIN api_token ON api_token.hash = shown.hash AND api_token.revoked_at IS NULL
          JOIN account ON account.id = api_token.account_id AND account.disabled_at IS NULL)
    SELECT caller.number, caller.account, caller.token, caller.requests_per_minute,
           ARRAY(SELECT wanted.number
                   FROM unnest($2::integer[], $3::bigint[], $4::xid[])
                        WITH ORDINALITY AS wanted (shown, job, version, number)
                   JOIN job ON job.id = wanted.job AND job.account_id = caller.account
                               AND job.xmin = wanted.version
                  WHERE wanted.shown = caller.number) AS standing
      FROM caller)sql"};

struct question {
    accounts::token_hash token;
    std::optional<job_id> reel = {};
    std::string version = {};  ///< Of the view that is kept, if there is one.
};

struct standing_of_reel {
    std::optional<accounts::caller> caller;
    bool stands = false;
};

/// The parameters of the statement: each token once, and which of them a question shows.
struct shown_tokens {
    std::vector<std::span<const std::byte>> hashes;
    std::vector<std::int32_t> shown;  ///< From 1 on.
    std::vector<std::optional<job_id>> reels;
    std::vector<std::string> versions;
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
        if (!one.version.empty()) sent.versions.push_back(one.version);
    }
    return sent;
}

accounts::caller caller_from(const db::row& row) {
    return {
        .account = row.as<account_id>("account"),
        .token = row.as<token_id>("token"),
        .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")};
}

caller_and_reel answer_from(const db::row& row, view_cache& kept) {
    caller_and_reel answer{.caller = caller_from(row), .reel = nullptr};
    if (row.is_null("id")) return answer;
    auto reel = jobs::job_from(row);
    reel.result = row.as<std::optional<std::string>>("result");
    answer.reel = std::make_shared<const std::string>(jobs::job_view(reel));
    if (reel.finished_at) {
        kept.keep(
            reel.id,
            {.text = answer.reel,
             .owner = answer.caller->account,
             .version = row.as<std::string>("version")});
    }
    return answer;
}

/// Nothing when the row cannot be read, which is then for its own question to tell: what a newer
/// program has written for one account must not fail the others.
std::optional<caller_and_reel> readable_answer(const db::row& row, view_cache& kept) {
    try {
        return answer_from(row, kept);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

boost::asio::awaitable<std::vector<std::optional<caller_and_reel>>> find_all(
    db::pool& pool, view_cache& kept, const std::vector<question>& questions, deadline by) {
    const auto sent = shown_by(questions);
    const auto found =
        co_await pool.run(by, find_with_callers_query, sent.hashes, sent.shown, sent.reels);
    std::vector<std::optional<caller_and_reel>> answers(questions.size(), caller_and_reel{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= answers.size());
        answers[number - 1] =
            questions.size() > 1 ? readable_answer(row, kept) : answer_from(row, kept);
    }
    co_return answers;
}

boost::asio::awaitable<std::vector<std::optional<standing_of_reel>>> check_all(
    db::pool& pool, const std::vector<question>& questions, deadline by) {
    const auto sent = shown_by(questions);
    const auto found = co_await pool.run(
        by, check_with_callers_query, sent.hashes, sent.shown, sent.reels, sent.versions);
    std::vector<std::optional<accounts::caller>> callers(sent.hashes.size());
    std::vector<std::optional<standing_of_reel>> answers(questions.size(), standing_of_reel{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= callers.size());
        callers[number - 1] = caller_from(row);
        for (const auto at : row.as<std::vector<std::int64_t>>("standing")) {
            invariant(at >= 1 && static_cast<std::size_t>(at) <= answers.size());
            answers[static_cast<std::size_t>(at) - 1]->stands = true;
        }
    }
    for (std::size_t at = 0; at < answers.size(); ++at) {
        answers[at]->caller = callers[static_cast<std::size_t>(sent.shown[at]) - 1];
    }
    co_return answers;
}

}  // namespace

struct caller_lookup::sharing_statements {
    view_cache kept;
    db::shared_statement<question, caller_and_reel> lookups;
    db::shared_statement<question, standing_of_reel> checks;

    sharing_statements(
        const boost::asio::any_io_executor& loop, async::task_group& tasks, db::pool& pool,
        std::size_t kept_bytes_max)
        : kept{kept_bytes_max},
          lookups{
              loop,
              tasks,
              shared,
              [this, &pool](const std::vector<question>& questions, deadline by) {
                  return find_all(pool, kept, questions, by);
              }},
          checks{loop, tasks, shared, [&pool](const std::vector<question>& questions, deadline by) {
                     return check_all(pool, questions, by);
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
    question asked{.token = token, .reel = reel};
    if (known) {
        asked.version = known->version;
        const auto found = co_await statements_->checks.answer(asked, by);
        if (!found.caller) co_return caller_and_reel{};
        if (found.stands) co_return caller_and_reel{.caller = found.caller, .reel = known->text};
        // A stranger who tries ids must not empty what others read.
        if (found.caller->account == known->owner) statements_->kept.forget(reel);
    }
    co_return co_await statements_->lookups.answer(asked, by);
}

}  // namespace reelsd::reels
