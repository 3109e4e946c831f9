#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace reelsd::jobs {

struct running_job {
    job_id id;
    std::string email;  ///< Address of its account.
    std::string url;
    std::string worker;
    std::string step;  ///< Empty if not known.
    int attempt = 1;
    time_point started_at;  ///< Start of its first attempt.
};

/// An attempt that was spent without a result.
struct failed_attempt {
    int number = 1;
    std::string at;  ///< RFC 3339.
    std::string worker;
    std::string step;   ///< Step in which it ended; empty if unknown.
    std::string cause;  ///< A name of errc, or "lease_expired": its worker died or hung.
    std::string detail;
};

struct failed_job {
    job_id id;
    std::string email;
    std::string url;
    job_error_code code = job_error_code::internal;
    std::string error;
    time_point finished_at;
    std::vector<failed_attempt> attempts;  ///< Oldest first; empty for old jobs.
};

struct failure_cause {
    job_error_code code = job_error_code::internal;
    std::int64_t count = 0;
    time_point last_at;
};

struct failure_overview {
    std::vector<failure_cause> by_cause;  ///< Causes of the last seven days, most frequent first.
    std::vector<failed_job> recent;       ///< Newest first.
};

struct resubmitted_job {
    job_id failed;
    job_id new_id;
};

/// Jobs of all accounts, for administrators.
class operations_store : public db::store {
public:
    using db::store::store;

    /// Longest running first, at most 256.
    awaitable<std::vector<running_job>> running(deadline by);
    awaitable<failure_overview> failures(int recent_max, deadline by);

    /// Submits the links of failed jobs again for their accounts, regardless of limits. The failed
    /// jobs do not change. Skips jobs that are not `error`.
    awaitable<std::vector<resubmitted_job>> resubmit(std::vector<job_id> failed, deadline by);
};

}  // namespace reelsd::jobs
