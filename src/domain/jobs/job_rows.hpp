#pragma once

#include <reelsd/db/rows.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

namespace reelsd::jobs {

/// Reads a job from a row with the columns id, url, status, created_at, started_at, finished_at,
/// error_code and error.
[[nodiscard]] job job_from(const db::row& row);

/// As job_from(), with `result`.
[[nodiscard]] job whole_job_from(const db::row& row);

/// Sets `place` from the columns queue_position and expected_start_at of queue_places().
void read_place(const db::row& row, job& target);

/// As job_from(), with `brief` from code, author and summary.
[[nodiscard]] job listed_job_from(const db::row& row);

/// Reads the decision of submit_jobs(): outcome, job_id, job_status, job_limit, rate_limit,
/// rate_remaining, rate_reset, retry_after and monthly_budget_usd.
[[nodiscard]] submission_result submission_result_from(const db::row& row);

}  // namespace reelsd::jobs
