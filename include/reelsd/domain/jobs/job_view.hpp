#pragma once

#include <reelsd/domain/jobs/job.hpp>

#include <string>

namespace reelsd::jobs {

/// A job as clients see it (contract section 4), as JSON text; with `brief`, as it stands in lists.
/// The stored result goes in as it is: it is valid JSON already, and taking it apart would cost
/// every read.
[[nodiscard]] std::string job_view(const job& job);

}  // namespace reelsd::jobs
