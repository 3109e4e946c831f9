#include "../jobs/job_rows.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/reels/caller_lookup.hpp>

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
           job.error_code, job.error, job.result
      FROM unnest($2::integer[], $3::bigint[]) WITH ORDINALITY AS wanted (shown, job, number)
      JOIN caller ON caller.number = wanted.shown
      LEFT JOIN job ON job.id = wanted.job AND job.account_id = caller.account)sql"};

struct question {
    accounts::token_hash token;
    std::optional<job_id> reel;
};

/// The parameters of the statement: each token once, and which of them a question shows.
struct shown_tokens {
    std::vector<std::span<const std::byte>> hashes;
    std::vector<std::int32_t> shown;  ///< From 1 on.
    std::vector<std::optional<job_id>> reels;
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
    }
    return sent;
}

caller_and_reel answer_from(const db::row& row) {
    caller_and_reel answer{
        .caller =
            accounts::caller{
                .account = row.as<account_id>("account"),
                .token = row.as<token_id>("token"),
                .requests_per_minute = row.as<std::optional<int>>("requests_per_minute")},
        .reel = std::nullopt};
    if (row.is_null("id")) return answer;
    answer.reel = jobs::job_from(row);
    answer.reel->result = row.as<std::optional<std::string>>("result");
    return answer;
}

/// Nothing when the row cannot be read, which is then for its own question to tell: what a newer
/// program has written for one account must not fail the others.
std::optional<caller_and_reel> readable_answer(const db::row& row) {
    try {
        return answer_from(row);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

boost::asio::awaitable<std::vector<std::optional<caller_and_reel>>> find_all(
    db::pool& pool, const std::vector<question>& questions, deadline by) {
    const auto sent = shown_by(questions);
    const auto found =
        co_await pool.run(by, find_with_callers_query, sent.hashes, sent.shown, sent.reels);
    std::vector<std::optional<caller_and_reel>> answers(questions.size(), caller_and_reel{});
    for (const db::row row : found) {
        const auto number = static_cast<std::size_t>(row.as<std::int64_t>("number"));
        invariant(number >= 1 && number <= answers.size());
        answers[number - 1] = questions.size() > 1 ? readable_answer(row) : answer_from(row);
    }
    co_return answers;
}

}  // namespace

struct caller_lookup::sharing_statements {
    db::shared_statement<question, caller_and_reel> lookups;
};

caller_lookup::caller_lookup(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool)
    : statements_{std::make_shared<const sharing_statements>(sharing_statements{
          .lookups = {
              std::move(loop),
              tasks,
              // As many as the loop answers in a few milliseconds: with more, the server would
              // stand still meanwhile.
              db::sharing{.questions_max = 64},
              [&pool](const std::vector<question>& questions, deadline by) {
                  return find_all(pool, questions, by);
              }}})} {}

caller_lookup::~caller_lookup() = default;
caller_lookup::caller_lookup(const caller_lookup&) = default;

boost::asio::awaitable<std::optional<accounts::caller>> caller_lookup::find(
    accounts::token_hash token, deadline by) {
    const question asked{.token = token, .reel = std::nullopt};
    const auto found = co_await statements_->lookups.answer(asked, by);
    co_return found.caller;
}

boost::asio::awaitable<caller_and_reel> caller_lookup::find_with_reel(
    accounts::token_hash token, job_id reel, deadline by) {
    const question asked{.token = token, .reel = reel};
    co_return co_await statements_->lookups.answer(asked, by);
}

}  // namespace reelsd::reels
