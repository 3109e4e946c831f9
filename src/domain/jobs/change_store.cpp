#include "job_rows.hpp"
#include <reelsd/domain/jobs/change_store.hpp>

#include <map>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(job_change, (), (account, step, at))
BOOST_DESCRIBE_STRUCT(job_deletion, (), (account, job, at))
BOOST_DESCRIBE_STRUCT(job_state_view, (), (attempt, step, changed_at))
BOOST_DESCRIBE_STRUCT(watched_change, (), (job, changed_at, is_over))

namespace {

// Each account has its own limit. A future time was written before the clock was set back: without
// the upper bound, each poll would report the row again.
constexpr db::query changed_query{"changes.changed", R"sql(
    SELECT change.*
      FROM unnest($1::bigint[]) AS watched (account)
     CROSS JOIN LATERAL (
           SELECT account_id AS account, id, url, status, created_at, started_at, finished_at,
                  error_code, error, failure_cause(job) AS failure_cause,
                  retry_after(job) AS retry_after, options, code, author, summary,
                  list_details_of(job) AS details, coalesce(step, '') AS step, changed_at AS at
             FROM job
            WHERE account_id = watched.account AND changed_at > $2
              AND changed_at <= now() + interval '1 minute'
            ORDER BY changed_at LIMIT $3) AS change)sql"};

constexpr db::query in_work_query{"changes.in_work", R"sql(
    SELECT account_id AS account, id, url, status, created_at, started_at, finished_at, error_code,
           error, options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           code, author, summary, list_details_of(job) AS details, coalesce(step, '') AS step,
           changed_at AS at
      FROM job
     WHERE account_id = $1 AND status = 'processing'
     ORDER BY changed_at LIMIT $2)sql"};

constexpr db::query deleted_query{"changes.deleted", R"sql(
    SELECT deletion.*
      FROM unnest($1::bigint[]) AS watched (account)
     CROSS JOIN LATERAL (
           SELECT account_id AS account, job_id AS job, deleted_at AS at
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
    SELECT watched.id AS job, job.changed_at,
           coalesce(job.status IN ('done', 'error'), true) AS is_over
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
    auto change = row.to<job_change>();
    change.job = listed_job_from(row);
    return change;
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

awaitable<change_batch> change_store::changes(
    std::vector<account_id> accounts, time_point since, int most_of_each, deadline by) {
    // Reads the clock first, so that changes between the statements are read again.
    const auto until = co_await now(by);
    const auto changed = co_await run(by, changed_query, accounts, since, most_of_each);
    change_batch batch{.changed = changed.map(&change_from), .until = until};
    batch.deleted =
        co_await read_all<job_deletion>(by, deleted_query, accounts, since, most_of_each);
    add_truncated(batch.truncated, batch.changed, most_of_each);
    add_truncated(batch.truncated, batch.deleted, most_of_each);
    co_return batch;
}

awaitable<std::vector<job_change>> change_store::in_work(
    account_id account, int most, deadline by) {
    const auto found = co_await run(by, in_work_query, account, most);
    co_return found.map(&change_from);
}

awaitable<time_point> change_store::now(deadline by) {
    return read_one<time_point>(by, now_query);
}

awaitable<std::optional<job_state_view>> change_store::state_of(
    account_id caller, job_id id, deadline by) {
    const auto found = co_await run(by, state_query, id, caller);
    co_return found.map_one([](const db::row& row) {
        auto state = row.to<job_state_view>();
        state.job = whole_job_from(row);
        return state;
    });
}

awaitable<std::vector<watched_change>> change_store::changed_among(
    const std::vector<watched_job>& watched, deadline by) {
    return read_all<watched_change>(
        by,
        changed_among_query,
        db::column(watched, &watched_job::job),
        db::column(watched, &watched_job::seen));
}

awaitable<std::int64_t> change_store::forget_old_deletions(int most, deadline by) {
    return read_one<std::int64_t>(
        by, forget_query, static_cast<int>(deletion_memory.count()), most);
}

awaitable<void> change_store::note_steps(const std::vector<step_note>& steps, deadline by) {
    return execute(
        by,
        note_steps_query,
        db::column(steps, &step_note::job),
        db::column(steps, &step_note::claim),
        db::column(steps, &step_note::step));
}

}  // namespace reelsd::jobs
