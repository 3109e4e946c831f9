#include "job_rows.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <stdexcept>

namespace reelsd::jobs {
namespace {

constexpr db::query submit_query{"jobs.submit", R"sql(
    SELECT outcome, job_id, job_status, job_limit,
           rate_limit, rate_remaining, rate_reset, retry_after,
           trim_scale(monthly_budget_usd)::text AS monthly_budget_usd
      FROM submit_job($1, $2, $3, $4, $5, $6, $7))sql"};

constexpr db::query find_query{"jobs.find", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result
      FROM job WHERE id = $1 AND account_id = $2)sql"};

constexpr db::query find_thumbnail_query{"jobs.find_thumbnail", R"sql(
    SELECT jpeg FROM reel_thumbnail WHERE account_id = $1 AND job_id = $2)sql"};

constexpr db::query find_small_thumbnail_query{"jobs.find_small_thumbnail", R"sql(
    SELECT coalesce(small_jpeg, jpeg) AS jpeg
      FROM reel_thumbnail WHERE account_id = $1 AND job_id = $2)sql"};

constexpr db::query list_query{"jobs.list", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
           code, author, summary
      FROM job
     WHERE account_id = $1 AND id < coalesce($2::bigint, 9223372036854775807)
       AND ($3::job_status IS NULL OR status = $3)
     ORDER BY id DESC LIMIT $4)sql"};

// A statement of its own, so that its plan never has to serve lists of all authors as well. Only
// the beginning of a name is in the index: nobody knows how long names may get.
constexpr db::query list_by_author_query{"jobs.list_by_author", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
           code, author, summary
      FROM job
     WHERE account_id = $1 AND id < coalesce($2::bigint, 9223372036854775807)
       AND status = 'done' AND coalesce($3::job_status, 'done') = 'done'
       AND left(lower(author), 100) = left(lower($5::text), 100) AND lower(author) = lower($5)
     ORDER BY id DESC LIMIT $4)sql"};

constexpr db::query remove_query{"jobs.remove", R"sql(
    DELETE FROM job WHERE id = $1 AND account_id = $2)sql"};

constexpr db::query find_earlier_analysis_query{"jobs.find_earlier_analysis", R"sql(
    SELECT result, analyzed_at, jpeg, small_jpeg
      FROM (SELECT account_id, id, result, analyzed_at
              FROM job
             WHERE account_id = $1 AND post_key = $2 AND analyzer = $3
               AND analyzed_at > now() - interval '1 day'
             ORDER BY analyzed_at DESC LIMIT 1) AS latest
      LEFT JOIN reel_thumbnail AS thumbnail
        ON thumbnail.account_id = latest.account_id AND thumbnail.job_id = latest.id)sql"};

constexpr db::query claim_query{"jobs.claim", R"sql(
    WITH due AS (
        SELECT id FROM job
         WHERE status = 'pending' AND run_at <= now() AND id <> ALL ($4::bigint[])
         ORDER BY run_at, id LIMIT $2
           FOR UPDATE SKIP LOCKED)  -- Two claimants never take the same row.
    UPDATE job
       SET status = 'processing', attempt = attempt + 1, claim = claim + 1, worker = $1,
           lease_until = now() + make_interval(secs => $3),
           started_at = coalesce(started_at, now())
      FROM due WHERE job.id = due.id
    RETURNING job.id, job.account_id, job.url, job.claim, job.attempt, job.created_at,
              job.fresh)sql"};

constexpr db::query renew_query{"jobs.renew", R"sql(
    UPDATE job SET lease_until = now() + make_interval(secs => $3)
      FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
     WHERE job.id = held.id AND job.claim = held.claim AND job.status = 'processing'
    RETURNING job.id, job.claim)sql"};

constexpr db::query lost_among_query{"jobs.lost_among", R"sql(
    SELECT held.id FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
      LEFT JOIN job ON job.id = held.id
     WHERE job.id IS NULL OR job.claim <> held.claim OR job.status <> 'processing')sql"};

// A job whose lease has run out is dead to the database, but not when the asking daemon holds it:
// it may be late because the database was away.
constexpr db::query rescue_query{"jobs.rescue", R"sql(
    WITH expired AS (
        SELECT job.id FROM job
         WHERE job.status = 'processing' AND job.lease_until < now()
           AND NOT EXISTS (
               SELECT FROM unnest($1::bigint[], $2::integer[]) AS held (id, claim)
                WHERE held.id = job.id AND held.claim = job.claim)
         ORDER BY job.lease_until LIMIT 100
           FOR UPDATE SKIP LOCKED)
    UPDATE job
       SET status = CASE WHEN job.attempt < $3 THEN 'pending' ELSE 'error' END::job_status,
           run_at = now(), lease_until = NULL, worker = NULL,
           finished_at = CASE WHEN job.attempt < $3 THEN NULL ELSE now() END,
           error_code = CASE WHEN job.attempt < $3 THEN NULL ELSE 'internal' END::job_error_code,
           error = CASE WHEN job.attempt < $3 THEN NULL ELSE $4 END
      FROM expired WHERE job.id = expired.id
    RETURNING job.id, job.status)sql"};

// Of jobs that would wait until a clock that was set back has caught up.
constexpr db::query mend_times_query{"jobs.mend_times", "SELECT mend_job_times()"};

// One statement: what makes a reel done also makes it listed, found and accounted for.
constexpr db::query complete_query{"jobs.complete", R"sql(
    WITH ended AS (
        UPDATE job
           SET status = 'done', result = $3, code = $4, author = $5, summary = $6,
               post_key = nullif($7, ''), analyzer = nullif($8, ''),
               analyzed_at = coalesce($9::timestamptz, now()),
               finished_at = now(), lease_until = NULL, worker = NULL
         WHERE id = $1 AND claim = $2 AND status = 'processing'
        RETURNING account_id, id),
    called AS (
        INSERT INTO model_call (account_id, job_id, number, model, cost_usd)
        SELECT account_id, id, 0, $10, 0 FROM ended WHERE $10 <> ''
        ON CONFLICT DO NOTHING),
    pictured AS (
        INSERT INTO reel_thumbnail (account_id, job_id, jpeg, small_jpeg)
        SELECT account_id, id, $15, $16 FROM ended WHERE $15::bytea IS NOT NULL)
    SELECT id, store_search_entry(account_id, id, $11, $12, $13, $14) FROM ended)sql"};

constexpr db::query fail_query{"jobs.fail", R"sql(
    UPDATE job
       SET status = 'error', error_code = $3::job_error_code, error = $4, finished_at = now(),
           lease_until = NULL, worker = NULL
     WHERE id = $1 AND claim = $2 AND status = 'processing')sql"};

constexpr db::query retry_query{"jobs.retry", R"sql(
    UPDATE job
       SET status = 'pending', run_at = now() + make_interval(secs => $3),
           lease_until = NULL, worker = NULL
     WHERE id = $1 AND claim = $2 AND status = 'processing')sql"};

constexpr db::query hand_back_query{"jobs.hand_back", R"sql(
    UPDATE job
       SET status = 'pending', run_at = now() + make_interval(secs => $3), attempt = attempt - 1,
           lease_until = NULL, worker = NULL
     WHERE id = $1 AND claim = $2 AND status = 'processing')sql"};

// Both counts stay on the partial indexes of what has not ended.
constexpr db::query look_at_queue_query{"jobs.look_at_queue", R"sql(
    SELECT count(*) FILTER (WHERE status = 'pending') AS pending,
           count(*) FILTER (WHERE status = 'pending' AND run_at <= now()) AS due,
           count(*) FILTER (WHERE status = 'processing') AS processing,
           coalesce(extract(epoch FROM now() - min(run_at) FILTER (
               WHERE status = 'pending' AND run_at <= now())), 0)::float8 AS oldest_due
      FROM job WHERE status IN ('pending', 'processing'))sql"};

constexpr db::query ended_among_query{"jobs.ended_among", R"sql(
    SELECT awaited.id FROM unnest($1::bigint[]) AS awaited (id)
      LEFT JOIN job ON job.id = awaited.id
     WHERE job.id IS NULL OR job.status IN ('done', 'error'))sql"};

admission::outcome outcome_from(std::string_view name) {
    if (name == "admitted") return admission::outcome::admitted;
    if (name == "repeated") return admission::outcome::repeated;
    if (name == "key_of_another_link") return admission::outcome::key_of_another_link;
    if (name == "rate_limited") return admission::outcome::rate_limited;
    if (name == "too_many_jobs") return admission::outcome::too_many_jobs;
    if (name == "budget_spent") return admission::outcome::budget_spent;
    throw db::schema_mismatch{"submit_job() says " + std::string{name}};
}

/// Without result and brief: which of them there is depends on the query.
claimed_job claimed_job_from(const db::row& row) {
    return {
        .id = row.as<job_id>("id"),
        .account = row.as<account_id>("account_id"),
        .url = row.as<std::string>("url"),
        .claim = row.as<std::int32_t>("claim"),
        .attempt = row.as<std::int32_t>("attempt"),
        .created_at = row.as<time_point>("created_at"),
        .fresh = row.as<bool>("fresh")};
}

/// Nothing when the reel has none, as outer joins tell it.
std::optional<reel_thumbnail> thumbnail_from(const db::row& row) {
    auto jpeg = row.as<std::optional<std::vector<std::byte>>>("jpeg");
    if (!jpeg) return std::nullopt;
    return reel_thumbnail{
        .jpeg = *std::move(jpeg),
        .small_jpeg = row.as<std::optional<std::vector<std::byte>>>("small_jpeg")};
}

/// Views into a thumbnail, for it may be none at all. Made before the query is run: GCC 12 destroys
/// what a conditional makes inside of a `co_await` twice.
struct thumbnail_columns {
    std::optional<std::span<const std::byte>> jpeg;
    std::optional<std::span<const std::byte>> small_jpeg;

    explicit thumbnail_columns(const std::optional<reel_thumbnail>& thumbnail) {
        if (!thumbnail) return;
        jpeg = thumbnail->jpeg;
        if (thumbnail->small_jpeg) small_jpeg = *thumbnail->small_jpeg;
    }
};

/// Parallel arrays, because a query takes arrays and no rows.
struct holding_columns {
    std::vector<job_id> jobs;
    std::vector<std::int32_t> claims;

    explicit holding_columns(const std::vector<holding>& held) {
        jobs.reserve(held.size());
        claims.reserve(held.size());
        for (const auto& one : held) {
            jobs.push_back(one.job);
            claims.push_back(one.claim);
        }
    }
};

}  // namespace

boost::asio::awaitable<admission> job_store::submit(
    account_id caller, submission wanted, default_limits defaults, deadline by) {
    const auto answer = co_await pool_->run(
        by,
        submit_query,
        caller,
        wanted.url,
        wanted.fresh,
        wanted.idempotency_key,
        wanted.costs_money,
        defaults.submissions_per_minute,
        defaults.concurrent_jobs);
    const auto row = answer.one();
    const auto status = row.as<std::optional<std::string_view>>("job_status");
    co_return admission{
        .decided = outcome_from(row.as<std::string_view>("outcome")),
        .job = row.as<std::optional<job_id>>("job_id").value_or(job_id{}),
        .status = status ? job_status_from(*status).value() : job_status::pending,
        .job_limit = row.as<std::int32_t>("job_limit"),
        .rate_limit = row.as<std::int32_t>("rate_limit"),
        .rate_remaining = row.as<std::int32_t>("rate_remaining"),
        .rate_reset = row.as<std::int32_t>("rate_reset"),
        .retry_after = row.as<std::optional<std::int32_t>>("retry_after").value_or(0),
        .monthly_budget_usd = row.as<std::optional<std::string>>("monthly_budget_usd")};
}

boost::asio::awaitable<std::optional<job>> job_store::find(
    account_id caller, job_id id, deadline by) {
    const auto found = co_await pool_->run(by, find_query, id, caller);
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    auto whole = job_from(*row);
    whole.result = row->as<std::optional<std::string>>("result");
    co_return whole;
}

boost::asio::awaitable<std::optional<std::vector<std::byte>>> job_store::find_thumbnail(
    account_id caller, job_id id, thumbnail_size wanted, deadline by) {
    const auto& query =
        wanted == thumbnail_size::small ? find_small_thumbnail_query : find_thumbnail_query;
    const auto found = co_await pool_->run(by, query, caller, id);
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    co_return row->as<std::vector<std::byte>>("jpeg");
}

boost::asio::awaitable<job_page> job_store::list(
    account_id caller, job_filter wanted, deadline by) {
    invariant(wanted.jobs_max > 0);
    std::optional<std::string_view> status;
    if (wanted.status) status = name_of(*wanted.status);
    // One more than wanted tells whether there is a next page.
    const int rows_max = wanted.jobs_max + 1;
    db::rows found;
    if (wanted.author) {
        found = co_await pool_->run(
            by, list_by_author_query, caller, wanted.before, status, rows_max, *wanted.author);
    } else {
        found = co_await pool_->run(by, list_query, caller, wanted.before, status, rows_max);
    }
    job_page page{.jobs = found.map(&listed_job_from), .next = std::nullopt};
    if (page.jobs.size() > static_cast<std::size_t>(wanted.jobs_max)) {
        page.jobs.pop_back();
        page.next = page.jobs.back().id;
    }
    co_return page;
}

boost::asio::awaitable<bool> job_store::remove(account_id caller, job_id id, deadline by) {
    const auto removed = co_await pool_->run(by, remove_query, id, caller);
    co_return removed.affected() > 0;
}

boost::asio::awaitable<std::optional<earlier_analysis>> job_store::find_earlier_analysis(
    account_id caller, std::string post_key, std::string analyzer, deadline by) {
    const auto found =
        co_await pool_->run(by, find_earlier_analysis_query, caller, post_key, analyzer);
    const auto row = found.one_or_none();
    if (!row) co_return std::nullopt;
    co_return earlier_analysis{
        .result = row->as<std::string>("result"),
        .analyzed_at = row->as<time_point>("analyzed_at"),
        .thumbnail = thumbnail_from(*row)};
}

boost::asio::awaitable<std::vector<claimed_job>> job_store::claim(
    claim_request wanted, deadline by) {
    invariant(wanted.jobs_max > 0);
    const auto claimed = co_await pool_->run(
        by, claim_query, wanted.worker, wanted.jobs_max, wanted.lease.count(), wanted.in_hand);
    co_return claimed.map(&claimed_job_from);
}

boost::asio::awaitable<std::vector<holding>> job_store::renew(
    std::vector<holding> held, seconds_f lease, deadline by) {
    const holding_columns columns{held};
    const auto renewed =
        co_await pool_->run(by, renew_query, columns.jobs, columns.claims, lease.count());
    std::vector<holding> kept;
    for (const auto row : renewed) {
        kept.push_back({row.as<job_id>("id"), row.as<std::int32_t>("claim")});
    }
    co_return kept;
}

boost::asio::awaitable<std::vector<job_id>> job_store::lost_among(
    std::vector<holding> held, deadline by) {
    const holding_columns columns{held};
    const auto lost = co_await pool_->run(by, lost_among_query, columns.jobs, columns.claims);
    co_return lost.map([](const db::row& row) { return row.as<job_id>("id"); });
}

boost::asio::awaitable<std::vector<job_id>> job_store::rescue(
    std::vector<holding> held, int attempts_max, std::string exhausted_text, deadline by) {
    const holding_columns columns{held};
    co_await pool_->run(by, mend_times_query);
    const auto rescued = co_await pool_->run(
        by, rescue_query, columns.jobs, columns.claims, attempts_max, exhausted_text);
    std::vector<job_id> ended;
    for (const auto row : rescued) {
        if (row.as<std::string_view>("status") == "error") ended.push_back(row.as<job_id>("id"));
    }
    co_return ended;
}

boost::asio::awaitable<bool> job_store::report(holding held, transition ended, deadline by) {
    db::rows written;
    if (const auto* success = std::get_if<completed>(&ended)) {
        const db::json_text document{success->result};
        const thumbnail_columns pictures{success->thumbnail};
        written = co_await pool_->run(
            by,
            complete_query,
            held.job,
            held.claim,
            document,
            success->brief.code,
            success->brief.author,
            success->brief.summary,
            success->post_key,
            success->analyzer,
            success->analyzed_at,
            success->unpaid_model,
            success->search.words,
            success->search.concepts,
            success->search.concept_weights,
            success->search.passages,
            pictures.jpeg,
            pictures.small_jpeg);
    } else if (const auto* failure = std::get_if<failed>(&ended)) {
        written = co_await pool_->run(
            by, fail_query, held.job, held.claim, name_of(failure->code), failure->text);
    } else if (const auto* later = std::get_if<retried>(&ended)) {
        written = co_await pool_->run(by, retry_query, held.job, held.claim, later->delay.count());
    } else {
        const auto* put_off = std::get_if<postponed>(&ended);
        const double delay = put_off == nullptr ? 0.0 : put_off->delay.count();
        written = co_await pool_->run(by, hand_back_query, held.job, held.claim, delay);
    }
    co_return written.affected() > 0;
}

boost::asio::awaitable<queue_state> job_store::look_at_queue(deadline by) {
    const auto found = co_await pool_->run(by, look_at_queue_query);
    const auto row = found.one();
    co_return queue_state{
        .pending = row.as<std::int64_t>("pending"),
        .due = row.as<std::int64_t>("due"),
        .processing = row.as<std::int64_t>("processing"),
        .oldest_due = seconds_f{row.as<double>("oldest_due")}};
}

boost::asio::awaitable<std::vector<job_id>> job_store::ended_among(
    std::vector<job_id> awaited, deadline by) {
    const auto ended = co_await pool_->run(by, ended_among_query, awaited);
    co_return ended.map([](const db::row& row) { return row.as<job_id>("id"); });
}

}  // namespace reelsd::jobs
