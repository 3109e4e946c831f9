#include <reelsd/domain/retention/retention_store.hpp>

#include <algorithm>

namespace reelsd::retention {

BOOST_DESCRIBE_STRUCT(expiry_step, (), (looked, removed, refused_gap))
BOOST_DESCRIBE_STRUCT(erasure_step, (), (account, removed_jobs, removed_calls, is_gone))
BOOST_DESCRIBE_STRUCT(data_counts, (), (jobs, calls, tokens))

namespace {

constexpr db::query expire_jobs_query{"retention.expire_jobs", R"sql(
    SELECT looked, removed, last_at, last_id, refused_gap
      FROM expire_jobs($1, $2, $3, $4, $5, $6, $7))sql"};

constexpr db::query expire_calls_query{"retention.expire_model_calls", R"sql(
    SELECT looked, removed, last_at, last_id, refused_gap
      FROM expire_model_calls($1, $2, $3, $4, $5, $6, $7))sql"};

constexpr db::query begin_erasure_query{"retention.begin_erasure", R"sql(
    SELECT begin_erasure($1, $2) AS outcome)sql"};

// The account after $1, or the first one.
constexpr db::query next_leaving_query{"retention.next_leaving", R"sql(
    SELECT id FROM account
     WHERE leaving_at IS NOT NULL AND id <> ALL ($2::bigint[])
     ORDER BY id <= $1, id LIMIT 1)sql"};

constexpr db::query delete_unfinished_query{"retention.delete_unfinished", R"sql(
    SELECT delete_unfinished_of_leaving($1, $2, $3) AS removed)sql"};

constexpr db::query erase_query{"retention.erase", R"sql(
    SELECT account_id AS account, removed_jobs, removed_calls, is_gone
      FROM erase_some($1, $2, $3, $4))sql"};

constexpr db::query count_data_query{"retention.count_data", R"sql(
    SELECT (SELECT count(*) FROM job_state WHERE account_id = $1) AS jobs,
           (SELECT count(*) FROM model_call WHERE account_id = $1) AS calls,
           (SELECT count(*) FROM api_token WHERE account_id = $1) AS tokens)sql"};

// Each part reads the first entry of an index.
constexpr db::query backlog_query{"retention.backlog", R"sql(
    SELECT extract(epoch FROM now() - (
               SELECT finished_at FROM job_state WHERE status IN ('done', 'error')
                ORDER BY finished_at, id LIMIT 1))::float8 AS oldest_result,
           extract(epoch FROM now() - (
               SELECT called_at FROM model_call
                ORDER BY called_at, id LIMIT 1))::float8 AS oldest_call,
           extract(epoch FROM now() - month_begin(now()))::float8 AS month,
           (SELECT count(*) FROM account WHERE leaving_at IS NOT NULL) AS leaving)sql"};

expiry_step expiry_step_from(const db::row& row) {
    auto step = row.to<expiry_step>();
    if (const auto at = row.as<std::optional<time_point>>("last_at")) {
        step.next = position{.at = *at, .id = row.as<std::int64_t>("last_id")};
    }
    return step;
}

std::optional<seconds_f> overdue(std::optional<seconds_f> age, seconds_f kept) {
    return age > kept ? std::optional{*age - kept} : std::nullopt;
}

}  // namespace

awaitable<std::optional<expiry_step>> retention_store::expire(
    kind what, std::string who, expiry_bounds bounds, std::optional<position> after, int most,
    deadline by) {
    std::optional<time_point> after_at;
    std::optional<std::int64_t> after_id;
    if (after) {
        after_at = after->at;
        after_id = after->id;
    }
    const auto& query = what == kind::results ? expire_jobs_query : expire_calls_query;
    const auto stepped = co_await run(
        by,
        query,
        who,
        seconds_f{turn_time_max},
        bounds.kept,
        after_at,
        after_id,
        most,
        bounds.now);
    co_return stepped.map_one(&expiry_step_from);
}

awaitable<result<void>> retention_store::begin_erasure(
    account_id account, std::optional<std::string> verified_hash, deadline by) {
    const auto begun = co_await run(by, begin_erasure_query, account, verified_hash);
    const auto outcome = begun.one().as<std::string>("outcome");
    if (outcome == "not_found") co_return error{errc::not_found, "there is no such account"};
    if (outcome == "password_changed") {
        co_return error{errc::conflict, "the password was changed by another request"};
    }
    if (outcome == "last_administrator") {
        co_return error{
            errc::conflict,
            "this is the last administrator who can sign in: appoint another one first"};
    }
    co_return result<void>{};
}

awaitable<std::optional<account_id>> retention_store::next_leaving(
    account_id after, std::vector<account_id> passed_over, deadline by) {
    return read_optional<account_id>(by, next_leaving_query, after, passed_over);
}

awaitable<std::optional<std::int64_t>> retention_store::stop_accounts_pending_deletion(
    std::string who, int most, deadline by) {
    return read_one<std::optional<std::int64_t>>(
        by, delete_unfinished_query, who, seconds_f{turn_time_max}, most);
}

awaitable<std::optional<erasure_step>> retention_store::erase(
    std::string who, account_id account, int most, deadline by) {
    return read_optional<erasure_step>(
        by, erase_query, who, seconds_f{turn_time_max}, account, most);
}

awaitable<erasure_step> retention_store::erase_account(account_id account, int most, deadline by) {
    return read_one<erasure_step>(
        by, erase_query, std::optional<std::string>{}, seconds_f{turn_time_max}, account, most);
}

awaitable<data_counts> retention_store::count_data(account_id account, deadline by) {
    return read_one<data_counts>(by, count_data_query, account);
}

awaitable<backlog> retention_store::look_at_backlog(
    seconds_f results_kept, seconds_f usage_kept, deadline by) {
    const auto found = co_await run(by, backlog_query);
    const auto row = found.one();
    backlog remaining{.leaving_accounts = row.as<std::int64_t>("leaving")};
    const auto age = [&row](const char* column) {
        return row.as<std::optional<seconds_f>>(column);
    };
    if (results_kept.count() > 0) {
        remaining.results_overdue = overdue(age("oldest_result"), results_kept);
    }
    if (usage_kept.count() > 0) {
        // Calls of this month are always kept.
        const auto kept = std::max(usage_kept, row.as<seconds_f>("month"));
        remaining.usage_overdue = overdue(age("oldest_call"), kept);
    }
    co_return remaining;
}

void step_size::took(duration time, bool was_full) noexcept {
    last_ = time;
    if (time > target_time) {
        rows_ = std::max(rows_min, rows_ / 2);
    } else if (was_full && 2 * time < target_time) {
        rows_ = std::min(rows_max, rows_ + std::max(1, rows_ / 4));
    }
}

step_size::duration step_size::pause() const noexcept {
    return std::clamp<duration>(3 * last_, pause_min, pause_max);
}

}  // namespace reelsd::retention
