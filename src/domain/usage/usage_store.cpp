#include <reelsd/domain/usage/usage_store.hpp>

#include <fmt/format.h>

namespace reelsd::usage {

BOOST_DESCRIBE_STRUCT(
    sums, (), (calls, prompt_tokens, output_tokens, audio_seconds, unpriced_calls, cost_usd))
BOOST_DESCRIBE_STRUCT(model_sums, (), (model, purpose, used))
BOOST_DESCRIBE_STRUCT(purpose_sums, (), (purpose, used))
BOOST_DESCRIBE_STRUCT(day_sums, (), (date, reels, used))
BOOST_DESCRIBE_STRUCT(daily_model_sums, (), (date, provider, model, purpose, used))
BOOST_DESCRIBE_STRUCT(
    call, (),
    (number, purpose, provider, model, called_at, prompt_tokens, cached_prompt_tokens,
     output_tokens, thinking_tokens, audio_seconds, cost_usd, is_under_way))
BOOST_DESCRIBE_STRUCT(
    budget_report, (),
    (monthly_budget_usd, month, spent_this_month_usd, spent_today_usd, estimated_this_month_usd,
     unpriced_calls_this_month))

namespace {

// One scan for all groupings, so that they agree. An unknown cost is not 0: a sum of unknown
// costs and zeros is unknown.
constexpr db::query read_query{"usage.read", R"sql(
    SELECT model, purpose::text AS purpose, to_char(day, 'YYYY-MM-DD') AS date,
           count(DISTINCT job_id) FILTER (WHERE purpose = 'analysis') AS reels,
           count(*) AS calls,
           coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
           trim_scale(coalesce(sum(audio_seconds), 0))::text AS audio_seconds,
           count(*) - count(cost_usd) AS unpriced_calls,
           CASE WHEN count(*) = count(cost_usd) OR sum(cost_usd) > 0
                THEN trim_scale(coalesce(sum(cost_usd), 0))::text END AS cost_usd
      FROM (SELECT job_id, model, purpose, (called_at AT TIME ZONE 'UTC')::date AS day,
                   prompt_tokens, output_tokens, audio_seconds, cost_usd
              FROM model_call AS made
             WHERE account_id = $1 AND (settled_at IS NOT NULL OR NOT is_under_way(made))
               AND ($2::date IS NULL OR called_at >= $2::date::timestamp AT TIME ZONE 'UTC')
               AND ($3::date IS NULL OR called_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC')
           ) AS call
     GROUP BY GROUPING SETS ((model, purpose), (purpose), (day), ())
     ORDER BY grouping(model, purpose, day), day, sum(cost_usd) DESC NULLS LAST, model, purpose
    )sql"};

constexpr db::query read_days_query{"usage.read_days", R"sql(
    SELECT to_char(day, 'YYYY-MM-DD') AS date, provider, model, purpose,
           count(*) AS calls,
           sum(prompt_tokens)::bigint AS prompt_tokens,
           sum(output_tokens)::bigint AS output_tokens,
           trim_scale(sum(audio_seconds))::text AS audio_seconds,
           count(*) - count(cost_usd) AS unpriced_calls,
           CASE WHEN count(*) = count(cost_usd) OR sum(cost_usd) > 0
                THEN trim_scale(sum(cost_usd))::text END AS cost_usd
      FROM (SELECT provider, model, purpose, (called_at AT TIME ZONE 'UTC')::date AS day,
                   prompt_tokens, output_tokens, audio_seconds, cost_usd
              FROM model_call AS made
             WHERE account_id = $1 AND (settled_at IS NOT NULL OR NOT is_under_way(made))
               AND ($2::date IS NULL OR called_at >= $2::date::timestamp AT TIME ZONE 'UTC')
               AND ($3::date IS NULL OR called_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC')
           ) AS call
     GROUP BY call.day, provider, model, purpose
     ORDER BY call.day, provider, model, purpose)sql"};

// A reel without calls is one row without a call.
constexpr db::query read_reel_query{"usage.read_reel", R"sql(
    SELECT id, number, purpose, provider, model, called_at, prompt_tokens, cached_prompt_tokens,
           output_tokens, thinking_tokens, trim_scale(audio_seconds)::text AS audio_seconds,
           trim_scale(cost_usd)::text AS cost_usd, is_under_way,
           count(*) FILTER (WHERE is_unpriced) OVER () AS unpriced_calls,
           CASE WHEN NOT bool_or(is_unpriced) OVER () OR sum(cost_usd) OVER () > 0
                THEN trim_scale(coalesce(sum(cost_usd) OVER (), 0))::text END AS total_cost_usd
      FROM (SELECT call.*, under_way AS is_under_way,
                   call.id IS NOT NULL AND call.cost_usd IS NULL AND NOT under_way AS is_unpriced
              FROM job_state AS job
              LEFT JOIN model_call AS call ON call.job_id = job.id AND call.account_id = $1,
                   LATERAL is_under_way(call) AS under_way
             WHERE job.id = $2 AND job.account_id = $1) AS listed
     ORDER BY called_at, id)sql"};

// Excludes calls that the operator requested.
constexpr db::query read_budget_query{"usage.read_budget", R"sql(
    SELECT trim_scale(monthly_budget_usd)::text AS monthly_budget_usd,
           trim_scale(estimated_this_month(account.id))::text AS estimated_this_month_usd,
           to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
           trim_scale(coalesce(sum(cost_usd), 0))::text AS spent_this_month_usd,
           trim_scale(coalesce(sum(cost_usd) FILTER (
               WHERE called_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'),
               0))::text AS spent_today_usd,
           count(call.id) FILTER (
               WHERE cost_usd IS NULL AND NOT is_under_way(call)) AS unpriced_calls_this_month
      FROM account
      LEFT JOIN model_call AS call
        ON call.account_id = account.id AND call.called_at >= month_begin(now())
       AND NOT call.by_operator
     WHERE account.id = $1
     GROUP BY account.id)sql"};

std::optional<std::string> text_of(const std::optional<std::chrono::year_month_day>& day) {
    if (!day) return std::nullopt;
    return fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(day->year()),
        static_cast<unsigned>(day->month()),
        static_cast<unsigned>(day->day()));
}

}  // namespace

awaitable<report> usage_store::read(account_id caller, period during, deadline by) {
    const auto from = text_of(during.from);
    const auto to = text_of(during.to);
    const auto found = co_await run(by, read_query, caller, from, to);
    report all;
    for (const auto row : found) {
        if (!row.is_null("model")) {
            all.by_model.push_back(row.to<model_sums>());
        } else if (!row.is_null("purpose")) {
            all.by_purpose.push_back(row.to<purpose_sums>());
        } else if (!row.is_null("date")) {
            all.by_day.push_back(row.to<day_sums>());
        } else {
            all.total = row.to<sums>();
        }
    }
    co_return all;
}

awaitable<std::vector<daily_model_sums>> usage_store::read_days(
    account_id caller, period during, deadline by) {
    return read_all<daily_model_sums>(
        by, read_days_query, caller, text_of(during.from), text_of(during.to));
}

awaitable<std::optional<reel_report>> usage_store::read_reel(
    account_id caller, job_id reel, deadline by) {
    const auto found = co_await run(by, read_reel_query, caller, reel);
    if (found.empty()) co_return std::nullopt;
    reel_report all{
        .calls = {},
        .unpriced_calls = found[0].as<std::int64_t>("unpriced_calls"),
        .cost_usd = found[0].as<std::optional<std::string>>("total_cost_usd")};
    for (const auto row : found) {
        if (!row.is_null("id")) all.calls.push_back(row.to<call>());
    }
    co_return all;
}

awaitable<budget_report> usage_store::read_budget(account_id caller, deadline by) {
    return read_one<budget_report>(by, read_budget_query, caller);
}

}  // namespace reelsd::usage
