#include <reelsd/base/json.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/operations_store.hpp>

namespace reelsd::jobs {
namespace {

constexpr db::query running_query{"operations.running", R"sql(
    SELECT job.id, account.email, job.url, job.worker, coalesce(job.step, '') AS step,
           job.attempt, job.started_at
      FROM job JOIN account ON account.id = job.account_id
     WHERE job.status = 'processing'
     ORDER BY job.started_at LIMIT 256)sql"};

constexpr db::query causes_query{"operations.failure_causes", R"sql(
    SELECT error_code, count(*) AS count, max(finished_at) AS last_at
      FROM job
     WHERE status = 'error' AND finished_at > now() - interval '7 days'
     GROUP BY error_code ORDER BY count(*) DESC, error_code)sql"};

constexpr db::query recent_query{"operations.recent_failures", R"sql(
    SELECT job.id, account.email, job.url, job.error_code, job.error, job.finished_at,
           job.failed_attempts::text AS failed_attempts
      FROM job JOIN account ON account.id = job.account_id
     WHERE job.status = 'error'
     ORDER BY job.finished_at DESC LIMIT $1)sql"};

constexpr db::query resubmit_query{"operations.resubmit", R"sql(
    SELECT failed_id, new_id FROM resubmit_failed_jobs($1))sql"};

running_job running_from(const db::row& row) {
    return {
        .id = row.as<job_id>("id"),
        .email = row.as<std::string>("email"),
        .url = row.as<std::string>("url"),
        .worker = row.as<std::string>("worker"),
        .step = row.as<std::string>("step"),
        .attempt = row.as<std::int32_t>("attempt"),
        .started_at = row.as<time_point>("started_at")};
}

failure_cause cause_from(const db::row& row) {
    return {
        .code = job_error_code_from(row.as<std::string_view>("error_code")).value(),
        .count = row.as<std::int64_t>("count"),
        .last_at = row.as<time_point>("last_at")};
}

failed_attempt attempt_from(const json& entry) {
    return {
        .number = entry.at("attempt").get<int>(),
        .at = entry.at("at").get<std::string>(),
        .worker = entry.at("worker").get<std::string>(),
        .step = entry.at("step").get<std::string>(),
        .cause = entry.at("cause").get<std::string>(),
        .detail = entry.at("detail").get<std::string>()};
}

std::vector<failed_attempt> attempts_from(std::string_view text) {
    std::vector<failed_attempt> attempts;
    for (const auto& entry : json::parse(text)) attempts.push_back(attempt_from(entry));
    return attempts;
}

failed_job failed_from(const db::row& row) {
    return {
        .id = row.as<job_id>("id"),
        .email = row.as<std::string>("email"),
        .url = row.as<std::string>("url"),
        .code = job_error_code_from(row.as<std::string_view>("error_code")).value(),
        .error = row.as<std::string>("error"),
        .finished_at = row.as<time_point>("finished_at"),
        .attempts = attempts_from(row.as<std::string_view>("failed_attempts"))};
}

}  // namespace

boost::asio::awaitable<std::vector<running_job>> operations_store::running(deadline by) {
    const auto found = co_await pool_->run(by, running_query);
    co_return found.map(&running_from);
}

boost::asio::awaitable<failure_overview> operations_store::failures(int recent_max, deadline by) {
    const auto causes = co_await pool_->run(by, causes_query);
    const auto recent = co_await pool_->run(by, recent_query, recent_max);
    co_return failure_overview{
        .by_cause = causes.map(&cause_from), .recent = recent.map(&failed_from)};
}

boost::asio::awaitable<std::vector<resubmitted_job>> operations_store::resubmit(
    std::vector<job_id> failed, deadline by) {
    const auto created = co_await pool_->run(by, resubmit_query, failed);
    co_return created.map([](const db::row& row) {
        return resubmitted_job{
            .failed = row.as<job_id>("failed_id"), .new_id = row.as<job_id>("new_id")};
    });
}

}  // namespace reelsd::jobs
