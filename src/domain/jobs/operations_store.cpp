#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(running_job, (), (id, email, url, worker, step, attempt, started_at))
BOOST_DESCRIBE_STRUCT(failure_cause, (), (code, count, last_at))
BOOST_DESCRIBE_STRUCT(failed_job, (), (id, email, url, code, error, finished_at))
BOOST_DESCRIBE_STRUCT(resubmitted_job, (), (failed, new_id))

namespace {

constexpr db::query running_query{"operations.running", R"sql(
    SELECT job.id, account.email, job.url, job.worker, coalesce(job.step, '') AS step,
           job.attempt, job.started_at
      FROM job JOIN account ON account.id = job.account_id
     WHERE job.status = 'processing'
     ORDER BY job.started_at LIMIT 256)sql"};

constexpr db::query causes_query{"operations.failure_causes", R"sql(
    SELECT error_code AS code, count(*) AS count, max(finished_at) AS last_at
      FROM job
     WHERE status = 'error' AND finished_at > now() - interval '7 days'
     GROUP BY error_code ORDER BY count(*) DESC, error_code)sql"};

constexpr db::query recent_query{"operations.recent_failures", R"sql(
    SELECT job.id, account.email, job.url, job.error_code AS code, job.error, job.finished_at,
           job.failed_attempts::text AS failed_attempts
      FROM job JOIN account ON account.id = job.account_id
     WHERE job.status = 'error'
     ORDER BY job.finished_at DESC LIMIT $1)sql"};

constexpr db::query resubmit_query{"operations.resubmit", R"sql(
    SELECT failed_id AS failed, new_id FROM resubmit_failed_jobs($1))sql"};

failed_attempt attempt_from(const json& entry) {
    return {
        .number = entry.at("attempt").get<int>(),
        .at = entry.at("at").get<std::string>(),
        .worker = entry.at("worker").get<std::string>(),
        .step = entry.at("step").get<std::string>(),
        .cause = entry.at("cause").get<std::string>(),
        .detail = entry.at("detail").get<std::string>()};
}

failed_job failed_from(const db::row& row) {
    auto failed = row.to<failed_job>();
    for (const auto& entry : json::parse(row.as<std::string_view>("failed_attempts")))
        failed.attempts.push_back(attempt_from(entry));
    return failed;
}

}  // namespace

awaitable<std::vector<running_job>> operations_store::running(deadline by) {
    return read_all<running_job>(by, running_query);
}

awaitable<failure_overview> operations_store::failures(int recent_max, deadline by) {
    auto causes = co_await read_all<failure_cause>(by, causes_query);
    const auto recent = co_await run(by, recent_query, recent_max);
    co_return failure_overview{.by_cause = std::move(causes), .recent = recent.map(&failed_from)};
}

awaitable<std::vector<resubmitted_job>> operations_store::resubmit(
    std::vector<job_id> failed, deadline by) {
    return read_all<resubmitted_job>(by, resubmit_query, failed);
}

}  // namespace reelsd::jobs
