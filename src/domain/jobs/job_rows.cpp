#include "job_rows.hpp"

#include <reelsd/db/errors.hpp>

namespace reelsd::jobs {
namespace {

submission_result::outcome outcome_from(std::string_view name) {
    if (name == "admitted") return submission_result::outcome::accepted;
    if (name == "repeated") return submission_result::outcome::repeated;
    if (name == "key_of_another_link") return submission_result::outcome::key_of_another_link;
    if (name == "rate_limited") return submission_result::outcome::rate_limited;
    if (name == "too_many_jobs") return submission_result::outcome::too_many_jobs;
    if (name == "queue_full") return submission_result::outcome::queue_full;
    if (name == "too_many_uploads") return submission_result::outcome::too_many_uploads;
    if (name == "budget_spent") return submission_result::outcome::budget_spent;
    throw db::schema_mismatch{"submit_jobs() returned " + std::string{name}};
}

}  // namespace

job job_from(const db::row& row) {
    job job{
        .id = row.as<job_id>("id"),
        .url = row.as<std::string>("url"),
        .status = job_status_from(row.as<std::string_view>("status")).value(),
        .created_at = row.as<time_point>("created_at"),
        .started_at = row.as<std::optional<time_point>>("started_at"),
        .finished_at = row.as<std::optional<time_point>>("finished_at"),
        .error_code = std::nullopt,
        .error = row.as<std::optional<std::string>>("error").value_or(""),
        .is_retryable = false,
        .retry_after_seconds = row.as<std::optional<std::int32_t>>("retry_after"),
        .result = std::nullopt,
        .brief = std::nullopt};
    job.options = row.as<std::optional<std::string>>("options");
    if (const auto code = row.as<std::optional<std::string_view>>("error_code")) {
        job.error_code = job_error_code_from(*code).value();
        const auto cause = row.as<std::optional<std::string_view>>("failure_cause");
        job.is_retryable = jobs::is_retryable(*job.error_code, cause.value_or(""));
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
    if (listed.status == job_status::done) {
        listed.brief = {
            .code = row.as<std::string>("code"),
            .author = row.as<std::string>("author"),
            .summary = row.as<std::string>("summary")};
    }
    return listed;
}

submission_result submission_result_from(const db::row& row) {
    const auto status = row.as<std::optional<std::string_view>>("job_status");
    return {
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

}  // namespace reelsd::jobs
