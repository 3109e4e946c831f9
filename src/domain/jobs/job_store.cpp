#include "job_rows.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <utility>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(
    job, (), (id, url, status, created_at, started_at, finished_at, error_code, options))
BOOST_DESCRIBE_STRUCT(queue_state, (), (pending, due, processing, oldest_due))
BOOST_DESCRIBE_STRUCT(
    earlier_analysis, (), (job, analyzer, result, extract, extract_error, analyzed_at))

namespace {

constexpr db::query submit_query{"jobs.submit", R"sql(
    SELECT number, CASE outcome WHEN 'admitted' THEN 'accepted' ELSE outcome END AS decided,
           coalesce(job_id, 0) AS job, coalesce(job_status, 'pending') AS status, job_limit,
           rate_limit, floor(tokens)::integer AS rate_remaining,
           ceil((rate_limit - tokens) * 60 / rate_limit)::integer AS rate_reset,
           coalesce(retry_after, 0) AS retry_after,
           trim_scale(monthly_budget_usd)::text AS monthly_budget_usd
      FROM submit_jobs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))sql"};

constexpr db::query find_query{"jobs.find", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result,
           extract, extract_error, options,
           EXISTS (SELECT FROM upload WHERE job_id = job.id AND kept_at IS NOT NULL) AS has_video,
           failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           place.queue_position, place.expected_start_at
      FROM job
      LEFT JOIN LATERAL queue_places(
               CASE WHEN status = 'pending' THEN account_id END, id) AS place ON true
     WHERE id = $1 AND account_id = $2)sql"};

// Ids have the order of time.
constexpr db::query find_before_query{"jobs.find_before", R"sql(
    SELECT id FROM job
     WHERE account_id = ANY (ARRAY[$1::bigint]) AND created_at < $2::timestamptz
     ORDER BY account_id, id DESC LIMIT 1)sql"};

constexpr db::query find_thumbnail_query{"jobs.find_thumbnail", R"sql(
    SELECT jpeg FROM reel_thumbnail WHERE account_id = $1 AND job_id = $2)sql"};

constexpr db::query find_small_thumbnail_query{"jobs.find_small_thumbnail", R"sql(
    SELECT coalesce(small_jpeg, jpeg) AS jpeg
      FROM reel_thumbnail WHERE account_id = $1 AND job_id = $2)sql"};

// `= ANY (ARRAY[...])` keeps the account in the order of rows. With `=` the planner drops it, and
// may then walk the primary key over the jobs of all other accounts. See docs/adr/0025. The OR
// keeps the planner from joining all jobs of the account, as it may for a NOT EXISTS alone.
constexpr db::query list_query{"jobs.list", R"sql(
    WITH page AS MATERIALIZED (
        SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
               options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
               code, author, summary, CASE WHEN $6 THEN list_details_of(job) END AS details,
               CASE WHEN $5 THEN count_earlier($1, post_of(job), id) END AS earlier
          FROM job
         WHERE account_id = ANY (ARRAY[$1::bigint])
           AND id < coalesce($2::bigint, 9223372036854775807)
           AND ($4::job_status IS NULL OR status = $4)
           AND (NOT $5::boolean OR NOT EXISTS (
               SELECT FROM job AS later
                WHERE later.account_id = $1 AND post_of(later) = post_of(job)
                  AND later.id > job.id))
         ORDER BY account_id, id DESC LIMIT $3)
    SELECT page.*, place.queue_position, place.expected_start_at
      FROM page
      LEFT JOIN queue_places(
               CASE WHEN EXISTS (SELECT FROM page WHERE status = 'pending') THEN $1 END,
               NULL) AS place ON place.job_id = page.id
     ORDER BY page.id DESC)sql"};

// The jobs that have not ended are few, and have a separate index. MATERIALIZED keeps the
// planner from walking all jobs of the account instead because of the LIMIT.
constexpr db::query list_active_query{"jobs.list_active", R"sql(
    WITH active AS MATERIALIZED (
        SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
               options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
               code, author, summary, CASE WHEN $6 THEN list_details_of(job) END AS details,
               CASE WHEN $5 THEN count_earlier($1, post_of(job), id) END AS earlier
          FROM job
         WHERE account_id = $1 AND status IN ('pending', 'processing')
           AND (NOT $5::boolean OR NOT EXISTS (
               SELECT FROM job AS later
                WHERE later.account_id = $1 AND post_of(later) = post_of(job)
                  AND later.id > job.id)))
    SELECT active.*, place.queue_position, place.expected_start_at
      FROM active
      LEFT JOIN queue_places(
               CASE WHEN $4::job_status = 'pending' THEN $1 END, NULL) AS place
             ON place.job_id = active.id
     WHERE id < coalesce($2::bigint, 9223372036854775807) AND status = $4::job_status
     ORDER BY id DESC LIMIT $3)sql"};

// The literal status lets the planner use the partial index of failed jobs.
constexpr db::query list_failed_query{"jobs.list_failed", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
           options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           code, author, summary, CASE WHEN $5 THEN list_details_of(job) END AS details,
           NULL::integer AS queue_position,
           CASE WHEN $4 THEN count_earlier($1, post_of(job), id) END AS earlier
      FROM job
     WHERE account_id = ANY (ARRAY[$1::bigint])
       AND id < coalesce($2::bigint, 9223372036854775807) AND status = 'error'
       AND (NOT $4::boolean OR NOT EXISTS (
           SELECT FROM job AS later
            WHERE later.account_id = $1 AND post_of(later) = post_of(job) AND later.id > job.id))
     ORDER BY account_id, id DESC LIMIT $3)sql"};

// A separate statement, so that its plan never has to serve lists of all authors as well. The index
// contains only the beginning of a name, because the length of names has no bound.
constexpr db::query list_by_author_query{"jobs.list_by_author", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
           options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           code, author, summary, CASE WHEN $7 THEN list_details_of(job) END AS details,
           NULL::integer AS queue_position,
           CASE WHEN $6 THEN count_earlier($1, post_of(job), id) END AS earlier
      FROM job
     WHERE account_id = ANY (ARRAY[$1::bigint])
       AND id < coalesce($2::bigint, 9223372036854775807)
       AND status = 'done' AND coalesce($4::job_status, 'done') = 'done'
       AND left(lower(author), 100) = left(lower($5::text), 100) AND lower(author) = lower($5)
       AND (NOT $6::boolean OR NOT EXISTS (
           SELECT FROM job AS later
            WHERE later.account_id = $1 AND post_of(later) = post_of(job) AND later.id > job.id))
     ORDER BY account_id, id DESC LIMIT $3)sql"};

// MATERIALIZED, as for active jobs: the jobs of a post are few.
constexpr db::query list_post_query{"jobs.list_post", R"sql(
    WITH same_post AS MATERIALIZED (
        SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
               options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
               code, author, summary, CASE WHEN $5 THEN list_details_of(job) END AS details
          FROM job
         WHERE account_id = $1
           AND post_of(job) = (
               SELECT post_of(named) FROM job AS named WHERE id = $4 AND account_id = $1))
    SELECT same_post.*, NULL::bigint AS earlier, place.queue_position, place.expected_start_at
      FROM same_post
      LEFT JOIN queue_places(
               CASE WHEN EXISTS (SELECT FROM same_post WHERE status = 'pending') THEN $1 END,
               NULL) AS place ON place.job_id = same_post.id
     WHERE id < coalesce($2::bigint, 9223372036854775807)
     ORDER BY id DESC LIMIT $3)sql"};

constexpr db::query list_by_tag_query{"jobs.list_by_tag", R"sql(
    WITH page AS MATERIALIZED (
        SELECT id, url, status, created_at, started_at, finished_at, error_code, error,
               options, failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
               code, author, summary, CASE WHEN $8 THEN list_details_of(job) END AS details,
               CASE WHEN $7 THEN count_earlier($1, post_of(job), id) END AS earlier
          FROM reel_tag JOIN job ON job.id = reel_tag.job_id
         WHERE reel_tag.account_id = $1 AND tag = $4
           AND job_id < coalesce($2::bigint, 9223372036854775807)
           AND ($5::job_status IS NULL OR status = $5)
           AND ($6::text IS NULL OR lower(author) = lower($6))
           AND (NOT $7::boolean OR NOT EXISTS (
               SELECT FROM job AS later JOIN reel_tag AS same ON same.job_id = later.id
                WHERE later.account_id = $1 AND post_of(later) = post_of(job)
                  AND later.id > job.id AND same.tag = $4))
         ORDER BY job_id DESC LIMIT $3)
    SELECT page.*, place.queue_position, place.expected_start_at
      FROM page
      LEFT JOIN queue_places(
               CASE WHEN EXISTS (SELECT FROM page WHERE status = 'pending') THEN $1 END,
               NULL) AS place ON place.job_id = page.id
     ORDER BY page.id DESC)sql"};

constexpr db::query remove_query{"jobs.remove", R"sql(
    DELETE FROM job WHERE id = $1 AND account_id = $2)sql"};

// A failed job has few dependent rows; a job that another statement deletes is left to it.
constexpr db::query remove_failed_query{"jobs.remove_failed", R"sql(
    DELETE FROM job WHERE id = ANY (ARRAY (
        SELECT id FROM job
         WHERE account_id = ANY (ARRAY[$1::bigint]) AND status = 'error'
         ORDER BY account_id, id DESC LIMIT $2 FOR UPDATE SKIP LOCKED)))sql"};

constexpr db::query find_earlier_analysis_query{"jobs.find_earlier_analysis", R"sql(
    SELECT latest.id AS job, analyzer, result, extract, extract_error, analyzed_at, jpeg,
           small_jpeg
      FROM (SELECT account_id, id, analyzer, result, extract, extract_error, analyzed_at
              FROM job
             WHERE account_id = $1 AND post_key = $2 AND analyzer = ANY ($3::text[])
               AND analyzed_at > now() - interval '1 day'
             ORDER BY array_position($3::text[], analyzer), analyzed_at DESC LIMIT 1) AS latest
      LEFT JOIN reel_thumbnail AS thumbnail
        ON thumbnail.account_id = latest.account_id AND thumbnail.job_id = latest.id)sql"};

constexpr db::query find_shared_post_query{"jobs.find_shared_post", R"sql(
    SELECT shared_post FROM job WHERE id = $1)sql"};

constexpr db::query keep_shared_post_query{"jobs.keep_shared_post", R"sql(
    UPDATE job SET shared_post = $2 WHERE id = $1)sql"};

constexpr db::query begin_post_query{"jobs.begin_post", R"sql(
    SELECT begin_post($1, $2, $3, $4, $5) AS begun)sql"};

// No count reads more than $1 rows, each in the order of a partial index of jobs that have not
// ended: without an order, a bitmap of all of them might be built first. Beyond that, `pending` is
// what the last VACUUM or ANALYZE found. The job that is due longest is among the first in the
// order of turns, because the first one of each account is.
constexpr db::query look_at_queue_query{"jobs.look_at_queue", R"sql(
    SELECT CASE WHEN pending.counted < $1 THEN pending.counted
                ELSE greatest(pending.counted, (
                    SELECT reltuples::bigint FROM pg_class
                     WHERE oid = to_regclass('job_active')) - processing.counted) END AS pending,
           due.counted AS due, processing.counted AS processing, due.oldest AS oldest_due
      FROM (SELECT count(*) AS counted FROM (
               SELECT FROM job WHERE status = 'pending'
                ORDER BY account_id, turn LIMIT $1) AS capped) AS pending,
           (SELECT count(*) AS counted FROM (
               SELECT FROM job WHERE status = 'processing'
                ORDER BY lease_until LIMIT $1) AS capped) AS processing,
           (SELECT count(*) AS counted,
                   coalesce(extract(epoch FROM now() - min(run_at)), 0)::float8 AS oldest
              FROM (SELECT run_at FROM job
                     WHERE status = 'pending' AND waits_for IS NULL
                     ORDER BY turn, id LIMIT $1) AS capped) AS due)sql"};

constexpr db::query find_all_query{"jobs.find_all", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result,
           extract, extract_error, options,
           EXISTS (SELECT FROM upload WHERE job_id = job.id AND kept_at IS NOT NULL) AS has_video,
           failure_cause(job) AS failure_cause, retry_after(job) AS retry_after
      FROM job WHERE id = ANY ($1::bigint[]))sql"};

constexpr db::query last_id_query{"jobs.last_id", R"sql(
    SELECT coalesce(max(id), 0) AS id FROM job)sql"};

// Data of a reel that GET does not show. `video` is the object below instead of GET's path.
constexpr db::query export_query{"jobs.export", R"sql(
    SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result,
           extract, extract_error, options,
           false AS has_video,
           failure_cause(job) AS failure_cause, retry_after(job) AS retry_after,
           (SELECT row_to_json(extra)::text FROM (
               SELECT job.fresh, job.attempt AS attempts, job.webhook_url,
                      rfc3339(job.analyzed_at) AS analyzed_at,
                      (SELECT json_agg(tag ORDER BY tag) FROM reel_tag WHERE job_id = job.id)
                          AS tags,
                      (SELECT key FROM submission_key WHERE job_id = job.id LIMIT 1)
                          AS idempotency_key,
                      (SELECT replace(encode(jpeg, 'base64'), E'\n', '') FROM reel_thumbnail
                        WHERE account_id = job.account_id AND job_id = job.id)
                          AS thumbnail_jpeg,
                      (SELECT json_object_agg(
                                  number, replace(encode(jpeg, 'base64'), E'\n', '')
                                  ORDER BY number)
                         FROM reel_frame WHERE job_id = job.id AND jpeg IS NOT NULL)
                          AS frame_jpegs,
                      (SELECT json_build_object(
                                  'path', '/api/v1/reels/' || job.id || '/video',
                                  'size_bytes', size_bytes, 'sha256', sha256)
                         FROM upload WHERE job_id = job.id AND kept_at IS NOT NULL)
                          AS video) AS extra) AS more
      FROM job
     WHERE job.account_id = ANY (ARRAY[$1::bigint]) AND job.id > $2 AND job.id <= $4
     ORDER BY job.account_id DESC, job.id LIMIT $3)sql"};

// Two accounts that do not exist (ids are positive), because the function fails for a single one.
// It locks, inserts and updates no row, but the server checks plpgsql, write access and privileges.
constexpr db::query check_submissions_query{"jobs.check_submissions", R"sql(
    SELECT count(*) FROM submit_jobs(
        ARRAY[0, -1]::bigint[], ARRAY['', ''], ARRAY[false, false], ARRAY[false, false],
        ARRAY[NULL, NULL]::text[], ARRAY[NULL, NULL]::text[], ARRAY[NULL, NULL]::text[],
        ARRAY[0, 0], ARRAY[false, false], ARRAY[NULL, NULL]::bigint[],
        ARRAY[NULL, NULL]::text[], 1, 1))sql"};

// Needs new pages, which a full disk refuses: random hexadecimal digits do not compress well.
constexpr db::query check_storage_query{"jobs.check_storage", R"sql(DO $$
    BEGIN
        INSERT INTO job (id, account_id, url, fresh) OVERRIDING SYSTEM VALUE
        SELECT nextval('job_id_seq'), account.id, filler.text, false
          FROM (SELECT id FROM account ORDER BY id LIMIT 1) AS account,
               (SELECT string_agg(md5(random()::text || piece), '') AS text
                  FROM generate_series(1, 8) AS number, generate_series(1, 60) AS piece
                 GROUP BY number) AS filler;
        RAISE EXCEPTION 'undone';
    EXCEPTION WHEN raise_exception THEN
        NULL;
    END $$)sql"};

/// An array for each column, and the limits.
std::vector<db::parameter> parameters_of(
    const std::vector<callers_submission>& submissions, default_limits defaults) {
    using entry = const callers_submission&;
    std::vector<db::parameter> all;
    const auto add = [&](auto column) { all.push_back(db::column(submissions, column)); };
    add(&callers_submission::caller);
    add([](entry it) { return std::string_view{it.request.url}; });
    add([](entry it) { return it.request.fresh; });
    add([](entry it) { return it.request.costs_money; });
    add([](entry it) { return it.request.webhook_url; });
    add([](entry it) { return it.request.idempotency_key; });
    add([](entry it) {
        const auto& list = it.request.list;
        return list ? std::optional{list->request_hash} : std::nullopt;
    });
    add([](entry it) { return it.request.list ? it.request.list->position : 0; });
    add([](entry it) { return it.request.queue; });
    add([](entry it) { return it.request.upload; });
    add([](entry it) {
        const auto& options = it.request.options;
        return options.empty() ? std::nullopt : std::optional{options};
    });
    all.emplace_back(defaults.submissions_per_minute);
    all.emplace_back(defaults.concurrent_jobs);
    return all;
}

/// Returns nothing when the reel has none: the columns of the outer join are null.
std::optional<reel_thumbnail> thumbnail_from(const db::row& row) {
    auto jpeg = row.as<std::optional<std::vector<std::byte>>>("jpeg");
    if (!jpeg) return std::nullopt;
    return reel_thumbnail{
        .jpeg = *std::move(jpeg),
        .small_jpeg = row.as<std::optional<std::vector<std::byte>>>("small_jpeg")};
}

job job_of_page_from(const db::row& row) {
    auto listed = listed_job_from(row);
    read_place(row, listed);
    listed.earlier = row.as<std::optional<std::int64_t>>("earlier");
    return listed;
}

/// One page of jobs, newest first, by the statement whose index serves the filter.
awaitable<db::rows> listed(
    db::pool& pool, account_id caller, const job_filter& filter, int rows_max, deadline by) {
    if (filter.post_of) {
        return pool.run(
            by, list_post_query, caller, filter.before, rows_max, *filter.post_of, filter.details);
    }
    if (filter.tag) {
        return pool.run(
            by,
            list_by_tag_query,
            caller,
            filter.before,
            rows_max,
            *filter.tag,
            filter.status,
            filter.author,
            filter.latest,
            filter.details);
    }
    if (filter.author) {
        return pool.run(
            by,
            list_by_author_query,
            caller,
            filter.before,
            rows_max,
            filter.status,
            *filter.author,
            filter.latest,
            filter.details);
    }
    if (filter.status == job_status::error) {
        return pool.run(
            by, list_failed_query, caller, filter.before, rows_max, filter.latest, filter.details);
    }
    const bool is_active =
        filter.status == job_status::pending || filter.status == job_status::processing;
    const auto& query = is_active ? list_active_query : list_query;
    return pool.run(
        by, query, caller, filter.before, rows_max, filter.status, filter.latest, filter.details);
}

}  // namespace

job job_from(const db::row& row) {
    auto job = row.to<jobs::job>();
    job.error = row.as<std::optional<std::string>>("error").value_or("");
    job.retry_after_seconds = row.as<std::optional<std::int32_t>>("retry_after");
    if (job.error_code) {
        const auto cause = row.as<std::optional<std::string_view>>("failure_cause");
        job.is_retryable = is_retryable(*job.error_code, cause.value_or(""));
    }
    return job;
}

void read_place(const db::row& row, job& target) {
    const auto position = row.as<std::optional<std::int32_t>>("queue_position");
    if (!position) return;
    target.place = queue_place{
        .position = *position,
        .expected_start_at = row.as<std::optional<time_point>>("expected_start_at")};
}

job whole_job_from(const db::row& row) {
    auto whole = job_from(row);
    whole.result = row.as<std::optional<std::string>>("result");
    whole.extract = row.as<std::optional<std::string>>("extract");
    whole.has_video = row.as<bool>("has_video");
    whole.extract_error = row.as<std::optional<std::string>>("extract_error");
    return whole;
}

job listed_job_from(const db::row& row) {
    auto listed = job_from(row);
    if (listed.status == job_status::done) listed.brief = row.to<reel_brief>();
    listed.details = row.as<std::optional<std::string>>("details");
    return listed;
}

awaitable<submission_result> job_store::submit(
    account_id caller, submission request, default_limits defaults, deadline by) {
    std::vector<callers_submission> single;
    single.push_back({.caller = caller, .request = std::move(request)});
    const auto decided = co_await submit_all(single, defaults, by);
    co_return decided.front().value();
}

awaitable<std::vector<std::optional<submission_result>>> job_store::submit_all(
    const std::vector<callers_submission>& submissions, default_limits defaults, deadline by) {
    auto parameters = parameters_of(submissions, defaults);
    const auto answer = co_await pool().run_with(by, submit_query, std::move(parameters));
    std::vector<std::optional<submission_result>> decided(submissions.size());
    for (const db::row row : answer) {
        const auto number = static_cast<std::size_t>(row.as<std::int32_t>("number"));
        invariant(number >= 1 && number <= decided.size());
        decided[number - 1] = row.to<submission_result>();
    }
    co_return decided;
}

awaitable<std::optional<job>> job_store::find(account_id caller, job_id id, deadline by) {
    const auto found = co_await run(by, find_query, id, caller);
    co_return found.map_one([](const db::row& row) {
        auto whole = whole_job_from(row);
        read_place(row, whole);
        return whole;
    });
}

awaitable<std::map<job_id, job>> job_store::find_all(std::vector<job_id> ids, deadline by) {
    const auto found = co_await run(by, find_all_query, ids);
    std::map<job_id, job> readable;
    for (const db::row row : found) {
        try {
            auto whole = whole_job_from(row);
            readable.emplace(whole.id, std::move(whole));
        } catch (const std::exception&) {
            continue;  // Written by a newer program.
        }
    }
    co_return readable;
}

awaitable<job_id> job_store::last_id(deadline by) {
    return read_one<job_id>(by, last_id_query);
}

awaitable<std::vector<exported_job>> job_store::export_page(
    account_id owner, job_id after, job_id last, int jobs_max, deadline by) {
    const auto found = co_await run(by, export_query, owner, after, jobs_max, last);
    co_return found.map([](const db::row& row) {
        return exported_job{.reel = whole_job_from(row), .more = row.as<std::string>("more")};
    });
}

awaitable<void> job_store::check_submissions(deadline by) {
    return execute(by, check_submissions_query);
}

awaitable<void> job_store::check_storage(deadline by) {
    return execute(by, check_storage_query);
}

awaitable<std::optional<std::vector<std::byte>>> job_store::find_thumbnail(
    account_id caller, job_id id, thumbnail_size size, deadline by) {
    const auto& query =
        size == thumbnail_size::small ? find_small_thumbnail_query : find_thumbnail_query;
    return read_optional<std::vector<std::byte>>(by, query, caller, id);
}

awaitable<job_page> job_store::list(account_id caller, job_filter filter, deadline by) {
    invariant(filter.jobs_max > 0);
    if (filter.created_before && !filter.before) {  // A later page is older anyway.
        const auto newest =
            co_await read_optional<job_id>(by, find_before_query, caller, filter.created_before);
        if (!newest) co_return job_page{};
        filter.before = job_id{newest->value + 1};
    }
    // One more than requested shows whether there is a next page.
    const auto found = co_await listed(pool(), caller, filter, filter.jobs_max + 1, by);
    job_page page{.jobs = found.map(&job_of_page_from), .next = std::nullopt};
    // Ids have the order of time, so that all later jobs are too old as well.
    std::erase_if(page.jobs, [&](const job& listed_job) {
        return filter.created_from && listed_job.created_at < *filter.created_from;
    });
    if (db::cut_page(page.jobs, filter.jobs_max)) page.next = page.jobs.back().id;
    co_return page;
}

awaitable<bool> job_store::remove(account_id caller, job_id id, deadline by) {
    return changed(by, remove_query, id, caller);
}

awaitable<std::int64_t> job_store::remove_failed(account_id caller, int jobs_max, deadline by) {
    return affected(by, remove_failed_query, caller, jobs_max);
}

awaitable<std::optional<earlier_analysis>> job_store::find_earlier_analysis(
    account_id caller, std::string post_key, std::vector<std::string> analyzers, deadline by) {
    const auto found = co_await run(by, find_earlier_analysis_query, caller, post_key, analyzers);
    co_return found.map_one([](const db::row& row) {
        auto earlier = row.to<earlier_analysis>();
        earlier.thumbnail = thumbnail_from(row);
        return earlier;
    });
}

awaitable<std::optional<std::string>> job_store::find_shared_post(job_id id, deadline by) {
    using maybe_url = std::optional<std::string>;
    auto url = co_await read_optional<maybe_url>(by, find_shared_post_query, id);
    co_return std::move(url).value_or(std::nullopt);
}

awaitable<void> job_store::keep_shared_post(job_id id, std::string post_url, deadline by) {
    return execute(by, keep_shared_post_query, id, post_url);
}

awaitable<post_start> job_store::begin_post(
    const claimed_job& job, std::string post_key, std::string analyzer, deadline by) {
    const bool has_begun = co_await read_one<bool>(
        by, begin_post_query, job.id, job.claim, post_key, analyzer, !job.fresh);
    co_return has_begun ? post_start::begun : post_start::at_work_elsewhere;
}

awaitable<queue_state> job_store::look_at_queue(deadline by) {
    return read_one<queue_state>(by, look_at_queue_query, queue_counted_max);
}

}  // namespace reelsd::jobs
