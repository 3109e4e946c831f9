#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {

/// Any query of the queue. Longer than the server's own statement timeout, so that the server's
/// answer, not our impatience, says what became of a statement.
inline constexpr std::chrono::seconds queue_query_time_max{8};

/// What a worker holds: a job and the claim it was taken under.
struct lease {
    job_id job;
    std::int32_t claim = 0;

    friend bool operator==(const lease&, const lease&) = default;
};

/// What a renewal found out about leases. Those in neither list are lost: deleted, or claimed by
/// another after the lease ran out.
struct renewal {
    std::vector<lease> renewed;
    /// Not renewed, because another transaction has locked the row: whether they are still ours is
    /// not known.
    std::vector<lease> skipped;
};

struct claim_request {
    std::string worker;     ///< Who claims. Unique to one start of one instance.
    int jobs_max = 1;       ///< At least 1.
    seconds_f lease{60.0};  ///< How long until the claim expires unless renewed.
    /// What the claimant still has in hand: not to be taken, though a report whose answer was lost
    /// may have made it due again.
    std::vector<job_id> in_flight = {};
    /// Grows after each claim whose answer was lost. A job that `worker` holds under a lower epoch
    /// and that is not in hand was taken by such a claim: it is taken again, first, and the attempt
    /// that did not begin is not counted twice.
    std::int32_t claim_epoch = 0;
    /// Only jobs of this turn or a higher one are taken; above 0, no job of a lost claim is.
    std::int64_t from_turn = 0;
};

/// A platform whose permits jobs wait for, and how often they are given.
struct platform_line {
    std::string host;                    ///< "www.instagram.com".
    std::vector<std::string> resolvers;  ///< In the order in which they are asked; not empty.
    seconds_f interval{8.0};             ///< Between two permits on average; above 0.
    int tries_per_hour = 40;             ///< At least 1; for each resolver.
    seconds_f try_time{60.0};            ///< How long the use of a permit may take.
    bool heeds_cooldown = true;
    /// A job in line ends as rate limited when a cool-down keeps it waiting for longer, and its
    /// text is this one, with the minutes that are left in place of "{minutes}".
    seconds_f cooldown_wait_max{3600.0};
    std::string cooldown_text = {};
    std::string unanswered_text = {};  ///< Instead, while the platform has never answered.
};

struct line_answer {
    std::optional<claimed_job> job;  ///< With its permit. Nothing when no permit was given.
    seconds_f wait{0.0};             ///< At least, before the next permit.
    bool is_empty = false;           ///< No job is in line.
};

struct rescue_request {
    /// The caller's own jobs: it may be late with a report, but it is alive.
    std::vector<lease> held = {};
    /// As in claim_request: what `worker` holds under a lower epoch is left to its next claim.
    std::string worker = {};
    std::int32_t claim_epoch = 0;
    int attempts_max = 3;        ///< 1 or more.
    std::string exhausted_text;  ///< For people: why a job ends whose last attempt died.
};

/// What a dispatcher asks of the queue. Each operation is atomic; all throw db::unavailable when no
/// answer is had before `by`, in which case they may have been carried out all the same, or may
/// still be later; and db::refused when the server will not (disk full, read-only). On the loop's
/// thread.
class job_queue {
public:
    virtual ~job_queue() = default;

    /// Takes jobs that can be worked on, the lowest turn first, and gives them in that order;
    /// empty when there are none.
    virtual boost::asio::awaitable<std::vector<claimed_job>> claim(
        claim_request wanted, deadline by) = 0;

    /// Takes the first job in line for a permit together with its permit, if one may be given now.
    /// Ignores `jobs_max` and `from_turn` of `wanted`.
    virtual boost::asio::awaitable<line_answer> claim_in_line(
        claim_request wanted, platform_line line, deadline by) = 0;

    /// Extends the leases of `held`. Waits for no locked row.
    virtual boost::asio::awaitable<renewal> renew(
        std::vector<lease> held, seconds_f lease, deadline by) = 0;

    /// Which of `held` are no longer ours, without a change: deleted, or claimed by another.
    virtual boost::asio::awaitable<std::vector<job_id>> lost_among(
        std::vector<lease> held, deadline by) = 0;

    /// Frees the jobs whose lease ran out: pending again, or `error` after the last attempt (those
    /// are returned). Jobs that were put off until now can be claimed from then on.
    virtual boost::asio::awaitable<std::vector<job_id>> rescue(
        rescue_request wanted, deadline by) = 0;

    /// Writes how an attempt ended. False when the holding is no longer current: nothing was
    /// written.
    virtual boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) = 0;

protected:
    job_queue() = default;
    job_queue(const job_queue&) = default;
    job_queue& operator=(const job_queue&) = default;
};

}  // namespace reelsd::jobs
