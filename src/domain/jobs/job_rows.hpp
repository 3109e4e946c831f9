#pragma once

#include <reelsd/db/rows.hpp>
#include <reelsd/domain/jobs/job.hpp>

namespace reelsd::jobs {

/// Reads a job from a row with the columns id, url, status, created_at, started_at, finished_at,
/// error_code, error, failure_cause, retry_after and options.
[[nodiscard]] job job_from(const db::row& row);

/// As job_from(), with `result`.
[[nodiscard]] job whole_job_from(const db::row& row);

/// Sets `place` from the columns queue_position and expected_start_at of queue_places().
void read_place(const db::row& row, job& target);

/// As job_from(), with `brief` from code, author and summary, and `details`.
[[nodiscard]] job listed_job_from(const db::row& row);

}  // namespace reelsd::jobs
