#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {

/// Time limit of any statement of the queue. Longer than the server's statement timeout, so that
/// the server reports the outcome.
inline constexpr std::chrono::seconds queue_query_time_max{8};

struct lease {
    job_id job;
    std::int32_t claim = 0;

    friend bool operator==(const lease&, const lease&) = default;
};

/// Result of a renewal. Leases in neither list are lost: the job was deleted, or claimed by another
/// worker after the lease expired.
struct renewal {
    std::vector<lease> renewed;
    /// Not renewed, because another transaction has locked the row. They may be lost.
    std::vector<lease> skipped;
};

struct claim_request {
    std::string worker;     ///< Unique to one start of one daemon.
    int jobs_max = 1;       ///< At least 1.
    seconds_f lease{60.0};  ///< How long until the claim expires unless renewed.
    /// Jobs that the worker still has. They are not claimed, although a report whose answer was
    /// lost may have made them due again.
    std::vector<job_id> in_flight = {};
    /// Grows after each claim whose answer was lost. A job that `worker` holds under a lower epoch
    /// and that is not in flight was taken by such a claim: it is claimed again, first, and its
    /// attempt is not counted twice.
    std::int32_t claim_epoch = 0;
    /// Only jobs of this turn or a higher one are claimed. Above 0, none of a lost claim.
    std::int64_t from_turn = 0;
};

/// A platform whose permits jobs wait for, and the rate of permits.
struct platform_line {
    std::string host;                    ///< "www.instagram.com".
    std::vector<std::string> resolvers;  ///< In the order of use; not empty.
    seconds_f interval{8.0};             ///< Between two permits on average; above 0.
    int tries_per_hour = 40;             ///< Per resolver; at least 1.
    seconds_f try_time{60.0};            ///< Upper bound on the use of a permit.
    bool heeds_cooldown = true;
    /// A job that a cool-down keeps waiting for longer ends as rate limited, with `cooldown_text`.
    /// "{minutes}" in it is replaced by the minutes that are left.
    seconds_f cooldown_wait_max{3600.0};
    std::string cooldown_text = {};
    std::string unanswered_text = {};  ///< Replaces it if the platform has never answered.
};

struct line_answer {
    std::optional<claimed_job> job;  ///< With its permit; empty when none was given.
    seconds_f wait{0.0};             ///< Minimum time until the next permit.
    bool is_empty = false;           ///< No job is in line.
};

struct rescue_request {
    /// The caller's own jobs, which are not rescued: it is alive, if late.
    std::vector<lease> held = {};
    /// As in claim_request: jobs of `worker` under a lower epoch are left to its next claim.
    std::string worker = {};
    std::int32_t claim_epoch = 0;
    int attempts_max = 3;        ///< 1 or more.
    std::string exhausted_text;  ///< Error text of a job whose last attempt died.
    /// The caller's platform_line::host; empty without a pace. Jobs in line for other platforms
    /// become claimable.
    std::optional<std::string> line_host = {};
    /// For accounts without a limit of their own; 1 or more.
    int concurrent_jobs_default = 3;
};

/// The queue as a dispatcher uses it. Operations are atomic. They throw db::unavailable without an
/// answer before `by`: they may have been carried out, or still be. They throw db::refused when the
/// server refuses (disk full, read-only). Thread: the loop's.
class job_queue {
public:
    virtual ~job_queue() = default;

    /// Claims due jobs and returns them in the order of their turns; empty when there are none.
    virtual awaitable<std::vector<claimed_job>> claim(claim_request request, deadline by) = 0;

    /// Claims the first job in line for a permit, with its permit, if one may be given now.
    /// Ignores `jobs_max` and `from_turn` of `request`.
    virtual awaitable<line_answer> claim_in_line(
        claim_request request, platform_line line, deadline by) = 0;

    /// Extends the leases of `held`. Waits for no locked row.
    virtual awaitable<renewal> renew(std::vector<lease> held, seconds_f lease, deadline by) = 0;

    /// Returns those of `held` that are lost. Changes nothing.
    virtual awaitable<std::vector<job_id>> lost_among(std::vector<lease> held, deadline by) = 0;

    /// Frees jobs with expired leases: they become pending, or `error` after the last attempt, and
    /// these are returned. Makes jobs claimable whose delay has ended, or whose line the caller
    /// does not serve.
    virtual awaitable<std::vector<job_id>> rescue(rescue_request request, deadline by) = 0;

    /// Reports the end of an attempt. False when the claim is no longer current: nothing was
    /// changed.
    virtual awaitable<bool> report(lease held, transition ended, deadline by) = 0;

protected:
    job_queue() = default;
    job_queue(const job_queue&) = default;
    job_queue& operator=(const job_queue&) = default;
};

}  // namespace reelsd::jobs
