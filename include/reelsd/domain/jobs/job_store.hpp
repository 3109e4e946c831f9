#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// What holds for an account that has no limit of its own.
struct default_limits {
    int submissions_per_minute = 10;
    int concurrent_jobs = 3;
};

/// The answer to a submission. The bucket's state goes into the RateLimit headers of 202 and 429
/// alike.
struct admission {
    enum class outcome : std::uint8_t { admitted, rate_limited, too_many_jobs };

    outcome decided = outcome::admitted;
    job_id job;              ///< Set when admitted.
    int job_limit = 0;       ///< Jobs at the same time.
    int rate_limit = 0;      ///< Submissions a minute.
    int rate_remaining = 0;  ///< Submissions left now.
    int rate_reset = 0;      ///< Seconds until the bucket is full.
    int retry_after = 0;     ///< Seconds; when refused.
};

/// What a worker holds: a job and the claim it was taken under.
struct holding {
    job_id job;
    std::int32_t claim = 0;

    friend bool operator==(const holding&, const holding&) = default;
};

struct claim_request {
    std::string worker;     ///< Who claims: the instance's name, for people.
    int jobs_max = 1;       ///< At least 1.
    seconds_f lease{60.0};  ///< How long until the claim expires unless renewed.
};

/// The queue's table. Each operation is one statement, hence atomic; all throw db::unavailable when
/// no answer is had before `by`, and db::refused when the server will not (disk full, read-only).
/// A cheap value around the pool, which must outlive it. On the loop's thread.
class job_store {
public:
    explicit job_store(db::pool& pool) : pool_{&pool} {}

    /// Admits or refuses; when admitted, the job is durable by the time this returns.
    boost::asio::awaitable<admission> submit(
        account_id caller, std::string url, default_limits defaults, deadline by);

    /// The caller's own job; nothing for an unknown or another account's id.
    boost::asio::awaitable<std::optional<job>> find(account_id caller, job_id id, deadline by);

    /// Takes due jobs, the longest due first; empty when none is due.
    boost::asio::awaitable<std::vector<claimed_job>> claim(claim_request wanted, deadline by);

    /// Extends the leases of `held`. What is missing in the answer is no longer ours: deleted, or
    /// claimed by another after our lease ran out.
    boost::asio::awaitable<std::vector<holding>> renew(
        std::vector<holding> held, seconds_f lease, deadline by);

    /// Frees the jobs whose lease ran out: pending again, or `error` after the last attempt (those
    /// are returned). `held` are the caller's own jobs: it may be late with a report, but it is
    /// alive.
    boost::asio::awaitable<std::vector<job_id>> rescue(
        std::vector<holding> held, int attempts_max, std::string exhausted_text, deadline by);

    /// Writes how an attempt ended. False when the holding is no longer current: nothing was
    /// written.
    boost::asio::awaitable<bool> report(holding held, transition ended, deadline by);

    /// Which of `awaited` have ended or are gone.
    boost::asio::awaitable<std::vector<job_id>> ended_among(
        std::vector<job_id> awaited, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::jobs
