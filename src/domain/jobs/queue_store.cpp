#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

// The statements of the queue. tests/simulation/queue_model.cpp models them: change both together.

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(lease, (), (job, claim))
BOOST_DESCRIBE_STRUCT(
    claimed_job, (),
    (id, account, url, claim, attempt, created_at, fresh, is_upload, permit, cooling_since, turn,
     options))

namespace {

// Jobs of an earlier claim of the same worker whose answer was lost come first. Their attempts are
// counted already. Records the last claimed turn for submissions (next_job_turn()). While an old
// snapshot is open, both indexes keep an entry for each job claimed since: $6 starts the scan
// behind them, and skips the search for a lost claim.
constexpr db::essential_query claim_query{"jobs.claim", R"sql(
    WITH lost AS (
        SELECT id FROM job
         WHERE status = 'processing' AND id <> ALL ($4::bigint[])
           AND $5 > 0 AND $6 = 0 AND worker = $1 AND claim_epoch < $5
         ORDER BY id LIMIT $2
           FOR UPDATE SKIP LOCKED),
    due AS (
        SELECT id FROM job
         -- Does not compare with the clock, which may have been set back.
         WHERE status = 'pending' AND waits_for IS NULL AND id <> ALL ($4::bigint[])
           AND turn >= $6::bigint
         ORDER BY turn, id LIMIT $2 - (SELECT count(*) FROM lost)
           FOR UPDATE SKIP LOCKED),  -- Two claimants never take the same row.
    claimed AS (
        UPDATE job
           SET status = 'processing', attempt = attempt + (status = 'pending')::integer,
               claim = claim + 1, worker = $1, claim_epoch = $5,
               lease_until = now() + make_interval(secs => $3),
               started_at = coalesce(started_at, now())
         -- An array, because the planner would estimate a join at half of the table.
         WHERE id = ANY (ARRAY(SELECT id FROM lost UNION ALL SELECT id FROM due))
        RETURNING id, account_id AS account, url, claim, attempt, created_at, fresh, is_upload,
                  coalesce(permit, '') AS permit, cooling_since, turn,
                  coalesce(options::text, '') AS options)
    SELECT claimed.*,
           (SELECT setval('job_turn', max(turn)) FROM claimed
            HAVING max(turn) > coalesce(pg_sequence_last_value('job_turn'), 0)) AS last_turn
      FROM claimed ORDER BY turn, id)sql"};

constexpr db::essential_query claim_in_line_query{"jobs.claim_in_line", R"sql(
    SELECT outcome, wait_seconds, (claimed).id, (claimed).account_id AS account, (claimed).url,
           (claimed).claim, (claimed).attempt, (claimed).created_at, (claimed).fresh,
           (claimed).is_upload, coalesce((claimed).permit, '') AS permit, (claimed).cooling_since,
           (claimed).turn, coalesce((claimed).options::text, '') AS options
      FROM claim_in_line($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
               CASE WHEN EXISTS (SELECT FROM resolver_pace
                                  WHERE host = $1 AND answered_at IS NOT NULL
                                    AND resolver = ANY ($2::text[]))
                    THEN $12::text ELSE $13::text END))sql"};

// Locks rows in the order of their ids, so that statements for the same jobs do not deadlock.
// Checks status and claim afterwards: with them in the condition, the planner expects one row, and
// scans all leases for each job. Skips rows locked by other transactions, so that one of them does
// not cost all other leases.
constexpr db::essential_query renew_query{"jobs.renew", R"sql(
    WITH locked AS MATERIALIZED (
        SELECT id, CASE WHEN status = 'processing' THEN claim END AS claim
          FROM job WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED),
    renewed AS (
        UPDATE job
           SET lease_until = now() + make_interval(secs => $3),
               -- A future time would mean that the lease is from before the clock was set back.
               changed_at = least(job.changed_at, now())
          FROM locked
          JOIN unnest($1::bigint[], $2::integer[]) AS held (id, claim)
            ON held.id = locked.id AND held.claim = locked.claim
         WHERE job.id = locked.id
        RETURNING job.id, job.claim)
    SELECT id AS job, claim, true AS is_renewed FROM renewed
     UNION ALL
    SELECT job.id, job.claim, false
      FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
      JOIN job ON job.id = held.id AND job.claim = held.claim AND job.status = 'processing'
     WHERE held.id NOT IN (SELECT id FROM locked))sql"};

constexpr db::query lost_among_query{"jobs.lost_among", R"sql(
    SELECT held.id FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
      LEFT JOIN job ON job.id = held.id
     WHERE job.id IS NULL OR job.claim <> held.claim OR job.status <> 'processing')sql"};

// Excludes jobs that the calling daemon holds, because it may be late after an outage of the
// database, and jobs of its lost claims, which its next claim takes. A model may have answered the
// holder during the outage: call_recorder has 10 s to store the paid answer, which the next attempt
// then uses.
constexpr db::essential_query rescue_query{"jobs.rescue", R"sql(
    WITH expired AS (
        SELECT job.id, job.attempt >= $3 AS is_over,
               EXISTS (SELECT FROM model_call AS call
                        WHERE call.job_id = job.id AND call.claim = job.claim
                          AND call.settled_at IS NULL) AS has_called
          FROM job
         WHERE job.status = 'processing' AND job.lease_until < now()
           AND NOT (job.worker = $5 AND job.claim_epoch < $6)
           AND NOT EXISTS (
               SELECT FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
                WHERE held.id = job.id AND held.claim = job.claim)
         ORDER BY job.lease_until LIMIT 100
           FOR UPDATE SKIP LOCKED)
    UPDATE job
       SET status = CASE WHEN is_over THEN 'error' ELSE 'pending' END::job_status,
           run_at = now() + has_called::integer * interval '10 s',
           waits_for = CASE WHEN has_called AND NOT is_over THEN 'time' END,
           lease_until = NULL, worker = NULL,
           finished_at = CASE WHEN is_over THEN now() END,
           error_code = CASE WHEN is_over THEN 'internal' END::job_error_code,
           error = CASE WHEN is_over THEN $4 END,
           failed_attempts = add_failed_attempt(
               job.failed_attempts, $7, job.attempt, job.worker, coalesce(job.step, ''),
               'lease_expired', '')
      FROM expired WHERE job.id = expired.id
    RETURNING job.id, job.status)sql"};

// Makes jobs whose delay has ended claimable. Bounded, because the next statement follows soon.
constexpr db::query end_delays_query{"jobs.end_delays", R"sql(
    UPDATE job SET waits_for = NULL
     WHERE id = ANY (ARRAY(
           SELECT id FROM job
            WHERE status = 'pending' AND waits_for = 'time' AND run_at <= now()
            ORDER BY run_at LIMIT 1000
              FOR UPDATE SKIP LOCKED)))sql"};

// Without it, jobs would wait forever for permits of a platform that no daemon uses any more.
constexpr db::query leave_other_lines_query{
    "jobs.leave_other_lines", "SELECT leave_other_lines($1)"};

// For limits that were raised, accounts that were enabled, and jobs that ended at the same moment:
// each end releases the next job of its account itself (make_webhook_delivery()).
constexpr db::query release_queued_query{
    "jobs.release_queued", "SELECT release_all_queued_jobs($1)"};

// Corrects times that lie in the future because the clock was set back.
constexpr db::query repair_times_query{"jobs.repair_times", "SELECT repair_job_times()"};

// One statement, so that a done reel is also listed, found by searches and accounted for.
constexpr db::essential_query complete_query{"jobs.complete", R"sql(
    WITH ended AS (
        UPDATE job
           SET status = 'done', result = $3, code = $4, author = $5, summary = $6,
               post_key = nullif($7, ''), analyzer = nullif($8, ''),
               analyzed_at = coalesce($9::timestamptz, now()),
               finished_at = now(), lease_until = NULL, worker = NULL,
               extract = $17, extract_error = $18, list_details = nullif($28, '')
         WHERE id = $1 AND claim = $2 AND status = 'processing'
        RETURNING account_id, id),
    called AS (
        INSERT INTO model_call (account_id, job_id, number, model, cost_usd)
        SELECT account_id, id, 0, $10, 0 FROM ended WHERE $10 <> ''
        ON CONFLICT DO NOTHING),
    pictured AS (
        INSERT INTO reel_thumbnail (account_id, job_id, jpeg, small_jpeg)
        SELECT account_id, id, $15, $16 FROM ended WHERE $15::bytea IS NOT NULL)
    SELECT id, add_search_entry(account_id, id, $11, $12, $13, $14),
           store_frames(account_id, id, $19, $20, $21, $22),
           keep_video(account_id, id, $23, $24, $25, $26, $27)
      FROM ended)sql"};

// Reports attempts without a result. Locks rows like renewals. A released job keeps its turn, and
// counts as never begun if no attempt of it counts. Only attempts that count are recorded as
// failed, not releases at shutdown, waits and snoozes.
constexpr db::essential_query report_query{"jobs.report", R"sql(
    WITH locked AS MATERIALIZED (
        SELECT id, CASE WHEN status = 'processing' THEN claim END AS claim
          FROM job WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE)
    UPDATE job
       SET status = ended.status, error_code = ended.code, error = ended.text,
           finished_at = CASE WHEN ended.status = 'error' THEN now() END,
           run_at = coalesce(now() + make_interval(secs => ended.delay),
                             least(job.run_at, now())),
           started_at = CASE WHEN ended.status = 'error' OR ended.delay IS NOT NULL
                               OR job.attempt > 1 THEN job.started_at END,
           attempt = job.attempt - ended.uncounted, lease_until = NULL, worker = NULL,
           waits_for = ended.waits_for,
           cooling_since = CASE WHEN ended.is_cooldown THEN coalesce(job.cooling_since, now())
                                WHEN ended.waits_for IS NOT NULL THEN job.cooling_since END,
           failed_attempts = CASE
               WHEN ended.cause IS NULL THEN job.failed_attempts
               ELSE add_failed_attempt(job.failed_attempts, $13, job.attempt, job.worker,
                                       ended.step, ended.cause, ended.detail) END
      FROM locked
      JOIN unnest($1::bigint[], $2::integer[], $3::job_status[], $4::job_error_code[],
                  $5::text[], $6::double precision[], $7::integer[], $8::text[],
                  $9::boolean[], $10::text[], $11::text[], $12::text[])
           AS ended (id, claim, status, code, text, delay, uncounted, waits_for, is_cooldown,
                     cause, step, detail)
        ON ended.id = locked.id AND ended.claim = locked.claim
     WHERE job.id = locked.id
    RETURNING job.id)sql"};

/// The report of an attempt without a result.
struct report_row {
    lease held;
    job_status status = job_status::pending;
    std::optional<job_error_code> code = {};
    std::optional<std::string_view> text = {};
    std::optional<seconds_f> delay = {};             ///< Empty where the turn is kept.
    std::int32_t uncounted = 1;                      ///< 1: the attempt does not count.
    std::optional<std::string_view> waits_for = {};  ///< A platform's permit.
    bool is_cooldown = false;
    std::optional<std::string_view> cause = {}, step = {}, detail = {};

    /// Of an attempt that counts.
    void set_failure(const attempt_failure& why) {
        uncounted = 0;
        cause = name_of(why.cause);
        step = why.step;
        detail = why.detail;
    }
};

/// `attempt` outlives the row.
report_row report_of(const ended_attempt& attempt) {
    const auto& ended = attempt.ended;
    invariant(!std::holds_alternative<completed>(ended));
    report_row row{.held = attempt.held};
    if (const auto* const failure = std::get_if<failed>(&ended)) {
        row.status = job_status::error;
        row.code = failure->code;
        row.text = failure->text;
        if (failure->retry_after.count() > 0) row.delay = failure->retry_after;
        row.set_failure(failure->why);
    } else if (const auto* const retry = std::get_if<retried>(&ended)) {
        row.delay = retry->delay;
        row.set_failure(retry->why);
    } else if (const auto* const snooze = std::get_if<snoozed>(&ended)) {
        row.delay = snooze->delay;
        row.is_cooldown = snooze->is_cooldown;
    } else if (const auto* const waiting = std::get_if<awaiting_permit>(&ended)) {
        row.waits_for = waiting->platform;
    }
    return row;
}

/// An array for each column.
std::vector<db::parameter> parameters_of(const std::vector<ended_attempt>& attempts) {
    std::vector<report_row> rows;
    for (const auto& attempt : attempts) rows.push_back(report_of(attempt));
    return {
        db::column(rows, [](const report_row& row) { return row.held.job; }),
        db::column(rows, [](const report_row& row) { return row.held.claim; }),
        db::column(rows, &report_row::status),
        db::column(rows, &report_row::code),
        db::column(rows, &report_row::text),
        db::column(rows, &report_row::delay),
        db::column(rows, &report_row::uncounted),
        db::column(rows, &report_row::waits_for),
        db::column(rows, &report_row::is_cooldown),
        db::column(rows, &report_row::cause),
        db::column(rows, &report_row::step),
        db::column(rows, &report_row::detail),
        bounds::failed_attempts_max};
}

awaitable<std::vector<std::optional<bool>>> report_together(
    queue_store jobs, const std::vector<ended_attempt>& attempts, deadline by) {
    const auto written = co_await jobs.report_all(attempts, by);
    co_return std::vector<std::optional<bool>>(written.begin(), written.end());
}

}  // namespace

awaitable<std::vector<claimed_job>> queue_store::claim(claim_request request, deadline by) {
    invariant(request.jobs_max > 0);
    return read_all<claimed_job>(
        by,
        claim_query,
        request.worker,
        request.jobs_max,
        request.lease,
        request.in_flight,
        request.claim_epoch,
        request.from_turn);
}

awaitable<line_answer> queue_store::claim_in_line(
    claim_request request, platform_line line, deadline by) {
    const auto answer = co_await run(
        by,
        claim_in_line_query,
        line.host,
        line.resolvers,
        line.interval,
        line.tries_per_hour,
        line.try_time,
        line.heeds_cooldown,
        request.worker,
        request.claim_epoch,
        request.lease,
        request.in_flight,
        line.cooldown_wait_max,
        line.cooldown_text,
        line.unanswered_text);
    const auto row = answer.one();
    line_answer decided{
        .job = std::nullopt,
        .wait = row.as<seconds_f>("wait_seconds"),
        .is_empty = row.as<std::string_view>("outcome") == "empty"};
    if (row.as<std::string_view>("outcome") == "now") decided.job = row.to<claimed_job>();
    co_return decided;
}

awaitable<renewal> queue_store::renew(std::vector<lease> held, seconds_f lease, deadline by) {
    const auto jobs = db::column(held, &jobs::lease::job);
    const auto claims = db::column(held, &jobs::lease::claim);
    const auto found = co_await run(by, renew_query, jobs, claims, lease);
    renewal outcome;
    for (const auto row : found) {
        auto& list = row.as<bool>("is_renewed") ? outcome.renewed : outcome.skipped;
        list.push_back(row.to<jobs::lease>());
    }
    co_return outcome;
}

awaitable<std::vector<job_id>> queue_store::lost_among(std::vector<lease> held, deadline by) {
    const auto jobs = db::column(held, &lease::job);
    const auto claims = db::column(held, &lease::claim);
    return read_all<job_id>(by, lost_among_query, jobs, claims);
}

awaitable<std::vector<job_id>> queue_store::rescue(rescue_request request, deadline by) {
    const auto jobs = db::column(request.held, &lease::job);
    const auto claims = db::column(request.held, &lease::claim);
    co_await execute(by, repair_times_query);
    co_await execute(by, end_delays_query);
    co_await execute(by, leave_other_lines_query, request.line_host);
    co_await execute(by, release_queued_query, request.concurrent_jobs_default);
    const auto rescued = co_await run(
        by,
        rescue_query,
        jobs,
        claims,
        request.attempts_max,
        request.exhausted_text,
        request.worker,
        request.claim_epoch,
        bounds::failed_attempts_max);
    std::vector<job_id> ended;
    for (const auto row : rescued) {
        if (row.as<std::string_view>("status") == "error") ended.push_back(row.as<job_id>("id"));
    }
    co_return ended;
}

awaitable<bool> queue_store::report(lease held, transition ended, deadline by) {
    if (const auto* success = std::get_if<completed>(&ended))
        co_return co_await complete(held, *success, by);
    std::vector<ended_attempt> single;
    single.push_back({.held = held, .ended = std::move(ended)});
    const auto written = co_await report_all(single, by);
    co_return written.front();
}

awaitable<bool> queue_store::complete(lease held, const completed& success, deadline by) {
    const db::json_text document{success.result};
    std::optional<db::json_text> extract;
    if (success.extract) extract = db::json_text{*success.extract};
    db::parameter jpeg = nullptr;
    db::parameter small_jpeg = nullptr;
    if (success.thumbnail) {
        jpeg = db::parameter{success.thumbnail->jpeg};
        small_jpeg = db::parameter{success.thumbnail->small_jpeg};
    }
    const auto video = success.video.value_or(kept_video{});
    std::optional<std::string_view> content_type;
    if (success.video) content_type = video.content_type;
    return changed(
        by,
        complete_query,
        held.job,
        held.claim,
        document,
        success.brief.code,
        success.brief.author,
        success.brief.summary,
        success.post_key,
        success.analyzer,
        success.analyzed_at,
        success.unpaid_model,
        success.search.words,
        success.search.concepts,
        success.search.concept_weights,
        success.search.passages,
        std::move(jpeg),
        std::move(small_jpeg),
        extract,
        success.extract_error,
        success.frames.numbers,
        success.frames.sizes,
        success.frames.jpegs,
        success.frames.object,
        video.size_bytes,
        video.sha256,
        content_type,
        video.post_key,
        video.object,
        success.list_details);
}

awaitable<std::vector<bool>> queue_store::report_all(
    const std::vector<ended_attempt>& attempts, deadline by) {
    auto parameters = parameters_of(attempts);
    const auto found = co_await pool().run_with(by, report_query, std::move(parameters));
    const auto ids = found.map(&db::row::to<job_id>);
    std::vector<bool> written;
    for (const auto& attempt : attempts) {
        written.push_back(std::find(ids.begin(), ids.end(), attempt.held.job) != ids.end());
    }
    co_return written;
}

reporting_queue::reporting_queue(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool)
    : queue_store{pool},
      reports_{
          std::move(loop),
          tasks,
          // While one statement is written to disk, the next one collects reports.
          db::batching{.statements_max = 1},
          [&pool](const std::vector<ended_attempt>& attempts, deadline by) {
              return report_together(queue_store{pool}, attempts, by);
          }} {}

awaitable<bool> reporting_queue::report(lease held, transition ended, deadline by) {
    if (std::holds_alternative<completed>(ended))
        co_return co_await queue_store::report(held, std::move(ended), by);
    ended_attempt attempt{.held = held, .ended = std::move(ended)};
    co_return (co_await reports_.answer(std::move(attempt), by)).value();
}

}  // namespace reelsd::jobs
