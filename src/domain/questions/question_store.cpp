#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/questions/question.hpp>

namespace reelsd::questions {
namespace {

constexpr db::query begin_query{"questions.begin", R"sql(
    SELECT outcome, rate_limit, retry_after, trim_scale(monthly_budget_usd)::text AS budget
      FROM begin_question($1, $2))sql"};

}  // namespace

awaitable<std::optional<refusal>> question_store::begin(
    account_id caller, int rate_default, deadline by) {
    using decision = jobs::submission_result;
    const auto decided = co_await run(by, begin_query, caller, rate_default);
    const auto row = decided.one();
    const auto decided_as = row.as<std::string>("outcome");
    if (decided_as == "admitted") co_return std::nullopt;
    const bool is_spent = decided_as == "budget_spent";
    decision refused;
    refused.decided = is_spent ? decision::outcome::budget_spent : decision::outcome::rate_limited;
    refused.rate_limit = row.as<std::int32_t>("rate_limit");
    refused.monthly_budget_usd = row.as<std::optional<std::string>>("budget");
    co_return refusal{
        .why = is_spent ? refusal::reason::budget_spent : refusal::reason::rate_limited,
        .text = jobs::refusal_text(refused),
        .retry_after = row.as<std::int32_t>("retry_after")};
}

}  // namespace reelsd::questions
