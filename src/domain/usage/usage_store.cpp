#include <reelsd/db/pool.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <fmt/format.h>

namespace reelsd::usage {
namespace {

// All three groupings from one reading of the rows, so that they agree with each other. A cost that
// nobody knows is not 0: a sum in which nothing else has cost anything is not known either.
constexpr db::query read_query{"usage.read", R"sql(
    SELECT model, to_char(day, 'YYYY-MM-DD') AS day,
           count(*) AS calls,
           coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
           coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
           count(*) - count(cost_usd) AS unpriced_calls,
           CASE WHEN count(*) = count(cost_usd) OR sum(cost_usd) > 0
                THEN trim_scale(coalesce(sum(cost_usd), 0))::text END AS cost_usd
      FROM (SELECT model, (called_at AT TIME ZONE 'UTC')::date AS day, prompt_tokens,
                   output_tokens, cost_usd
              FROM model_call AS made
             WHERE account_id = $1 AND (settled_at IS NOT NULL OR NOT is_under_way(made))
               AND ($2::date IS NULL OR called_at >= $2::date::timestamp AT TIME ZONE 'UTC')
               AND ($3::date IS NULL OR called_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC')
           ) AS call
     GROUP BY GROUPING SETS ((model), (day), ())
     ORDER BY grouping(model, day), day, sum(cost_usd) DESC NULLS LAST, model)sql"};

std::optional<std::string> text_of(const std::optional<std::chrono::year_month_day>& day) {
    if (!day) return std::nullopt;
    return fmt::format(
        "{:04}-{:02}-{:02}",
        static_cast<int>(day->year()),
        static_cast<unsigned>(day->month()),
        static_cast<unsigned>(day->day()));
}

sums sums_from(const db::row& row) {
    return {
        .calls = row.as<std::int64_t>("calls"),
        .prompt_tokens = row.as<std::int64_t>("prompt_tokens"),
        .output_tokens = row.as<std::int64_t>("output_tokens"),
        .unpriced_calls = row.as<std::int64_t>("unpriced_calls"),
        .cost_usd = row.as<std::optional<std::string>>("cost_usd")};
}

}  // namespace

boost::asio::awaitable<report> usage_store::read(account_id caller, period during, deadline by) {
    const auto found =
        co_await pool_->run(by, read_query, caller, text_of(during.from), text_of(during.to));
    report all;
    for (const auto row : found) {
        auto model = row.as<std::optional<std::string>>("model");
        auto day = row.as<std::optional<std::string>>("day");
        if (model) {
            all.by_model.push_back({*std::move(model), sums_from(row)});
        } else if (day) {
            all.by_day.push_back({*std::move(day), sums_from(row)});
        } else {
            all.total = sums_from(row);
        }
    }
    co_return all;
}

}  // namespace reelsd::usage
