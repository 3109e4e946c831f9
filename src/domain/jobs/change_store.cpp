#include "job_rows.hpp"
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_store.hpp>

#include <map>

namespace reelsd::jobs {
namespace {

// Each account has its own limit. A future time was written before the clock was set back: without
// the upper bound, each poll would report the row again.
constexpr db::query changed_query{"changes.changed", R"sql(
    SELECT change.*
      FROM unnest($1::bigint[]) AS watched (account)
     CROSS JOIN LATERAL (
           SELECT account_id, id, url, status, created_at, started_at, finished_at, error_code,
                  error, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
                  options, code, author, summary, coalesce(step, '') AS step, changed_at
             FROM job
            WHERE account_id = watched.account AND changed_at > $2
              AND changed_at <= now() + interval '1 minute'
            ORDER BY changed_at LIMIT $3) AS change)sql"};

constexpr db::query in_work_query{"changes.in_work", R"sql(
    SELECT account_id, id, url, status, created_at, started_at, finished_at, error_code, error,
           options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           code, author, summary, coalesce(step, '') AS step, changed_at
      FROM job
     WHERE account_id = $1 AND status = 'processing'
     ORDER BY changed_at LIMIT $2)sql"};

constexpr db::query deleted_query{"changes.deleted", R"sql(
    SELECT deletion.*
      FROM unnest($1::bigint[]) AS watched (account)
     CROSS JOIN LATERAL (
           SELECT account_id, job_id, deleted_at
             FROM deleted_job
            WHERE account_id = watched.account AND deleted_at > $2
              AND deleted_at <= now() + interval '1 minute'
            ORDER BY deleted_at LIMIT $3) AS deletion)sql"};

constexpr db::query state_query{"changes.state", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result,
           extract, extract_error, options,
           EXISTS (SELECT FROM upload WHERE job_id = job.id AND kept_at IS NOT NULL) AS has_video,
           failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           attempt::integer AS attempt, coalesce(step, '') AS step, changed_at
      FROM job WHERE id = $1 AND account_id = $2)sql"};

constexpr db::query changed_among_query{"changes.changed_among", R"sql(
    SELECT watched.id, job.changed_at, coalesce(job.status IN ('done', 'error'), true) AS is_over
      FROM unnest($1::bigint[], $2::timestamptz[]) AS watched (id, seen)
      LEFT JOIN job ON job.id = watched.id
     WHERE job.id IS NULL
        OR job.status IN ('done', 'error')
        OR job.changed_at <> watched.seen)sql"};

constexpr db::query now_query{"changes.now", R"sql(SELECT clock_timestamp() AS moment)sql"};

// Bounded: expiry and erasure delete a hundred thousand jobs a day.
constexpr db::query forget_query{"changes.forget", R"sql(
    WITH forgotten AS (
        DELETE FROM deleted_job
         WHERE ctid = ANY (ARRAY(
               SELECT old.ctid FROM deleted_job AS old
                WHERE old.deleted_at < now() - make_interval(hours => $1)
                ORDER BY old.deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED))
        RETURNING 1)
    SELECT count(*) AS forgotten FROM forgotten)sql"};

// Locks in the order of ids, as reports and renewals do.
constexpr db::query note_steps_query{"changes.note_steps", R"sql(
    WITH locked AS MATERIALIZED (
        SELECT id, CASE WHEN status = 'processing' THEN claim END AS claim, step
          FROM job WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE)
    UPDATE job SET step = reported.step
      FROM locked
      JOIN unnest($1::bigint[], $2::integer[], $3::text[]) AS reported (id, claim, step)
        ON reported.id = locked.id AND reported.claim = locked.claim
     WHERE locked.step IS DISTINCT FROM reported.step AND job.id = locked.id)sql"};

job_change change_from(const db::row& row) {
    return {
        .account = row.as<account_id>("account_id"),
        .job = listed_job_from(row),
        .step = row.as<std::string>("step"),
        .at = row.as<time_point>("changed_at")};
}

job_deletion deletion_from(const db::row& row) {
    return {
        .account = row.as<account_id>("account_id"),
        .job = row.as<job_id>("job_id"),
        .at = row.as<time_point>("deleted_at")};
}

/// Adds the accounts that have `most_of_each` rows.
template <class Row>
void add_truncated(
    std::set<account_id>& truncated, const std::vector<Row>& rows, int most_of_each) {
    std::map<account_id, int> counts;
    for (const auto& row : rows) {
        if (++counts[row.account] == most_of_each) truncated.insert(row.account);
    }
}

}  // namespace

boost::asio::awaitable<change_batch> change_store::changes(
    std::vector<account_id> accounts, time_point since, int most_of_each, deadline by) {
    // Reads the clock first, so that changes between the statements are read again.
    const auto until = co_await now(by);
    const auto changed = co_await pool_->run(by, changed_query, accounts, since, most_of_each);
    const auto deleted = co_await pool_->run(by, deleted_query, accounts, since, most_of_each);
    change_batch batch{
        .changed = changed.map(&change_from),
        .deleted = deleted.map(&deletion_from),
        .until = until,
        .truncated = {}};
    add_truncated(batch.truncated, batch.changed, most_of_each);
    add_truncated(batch.truncated, batch.deleted, most_of_each);
    co_return batch;
}

boost::asio::awaitable<std::vector<job_change>> change_store::in_work(
    account_id account, int most, deadline by) {
    const auto found = co_await pool_->run(by, in_work_query, account, most);
    co_return found.map(&change_from);
}

boost::asio::awaitable<time_point> change_store::now(deadline by) {
    const auto found = co_await pool_->run(by, now_query);
    co_return found.one().as<time_point>("moment");
}

boost::asio::awaitable<std::optional<job_state_view>> change_store::state_of(
    account_id caller, job_id id, deadline by) {
    const auto found = co_await pool_->run(by, state_query, id, caller);
    co_return found.map_one([](const db::row& row) {
        return job_state_view{
            .job = whole_job_from(row),
            .attempt = row.as<std::int32_t>("attempt"),
            .step = row.as<std::string>("step"),
            .changed_at = row.as<time_point>("changed_at")};
    });
}

boost::asio::awaitable<std::vector<watched_change>> change_store::changed_among(
    const std::vector<watched_job>& watched, deadline by) {
    const auto jobs = db::column(watched, &watched_job::job);
    const auto seen = db::column(watched, &watched_job::seen);
    const auto found = co_await pool_->run(by, changed_among_query, jobs, seen);
    co_return found.map([](const db::row& row) {
        return watched_change{
            .job = row.as<job_id>("id"),
            .changed_at = row.as<std::optional<time_point>>("changed_at"),
            .is_over = row.as<bool>("is_over")};
    });
}

boost::asio::awaitable<std::int64_t> change_store::forget_old_deletions(int most, deadline by) {
    const auto done =
        co_await pool_->run(by, forget_query, static_cast<int>(deletion_memory.count()), most);
    co_return done.one().as<std::int64_t>("forgotten");
}

boost::asio::awaitable<void> change_store::note_steps(
    const std::vector<step_note>& steps, deadline by) {
    const auto jobs = db::column(steps, &step_note::job);
    const auto claims = db::column(steps, &step_note::claim);
    const auto names = db::column(steps, &step_note::step);
    co_await pool_->run(by, note_steps_query, jobs, claims, names);
}

}  // namespace reelsd::jobs
