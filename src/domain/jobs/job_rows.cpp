#include "job_rows.hpp"

namespace reelsd::jobs {

BOOST_DESCRIBE_STRUCT(
    job, (), (id, url, status, created_at, started_at, finished_at, error_code, options))

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
    return listed;
}

}  // namespace reelsd::jobs
