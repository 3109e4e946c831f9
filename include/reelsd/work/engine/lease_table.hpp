#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace reelsd::work {

/// The leases that this process holds, by its monotonic clock. Does no I/O and reads no clock: the
/// caller sends the queries and passes the time.
///
/// A lease counts from before its claim or renewal was sent, so it never ends later here than in
/// the database. Work under it is safe for 0.8 of its length; the rest is for stopping the work.
/// Not thread-safe.
class lease_table {
public:
    using time_point = monotonic_clock::time_point;
    using duration = monotonic_clock::duration;

    /// `length` is above 0.
    explicit lease_table(seconds_f length) : length_{length} {}

    /// `sent` is when the claim was sent. The job must not be in the table.
    void add(const jobs::lease& lease, time_point sent);
    void remove(job_id job) { leases_.erase(job.value); }

    /// Whether the job is held under exactly this claim.
    [[nodiscard]] bool contains(const jobs::lease& lease) const;
    [[nodiscard]] std::vector<jobs::lease> leases() const;

    /// False for a job that is not in the table.
    [[nodiscard]] bool is_lease_safe(job_id job, time_point now) const;
    /// Jobs in the table whose lease is not safe.
    [[nodiscard]] std::vector<job_id> expired(time_point now) const;

    /// Applies the answer to a renewal of `requested`, which was sent at `sent`. Returns the lost
    /// jobs. Ignores a job that was removed or claimed again since.
    [[nodiscard]] std::vector<job_id> apply_renewal(
        const std::vector<jobs::lease>& requested, const jobs::renewal& answer, time_point sent);

    /// A quarter of the length, so that three renewals may fail before a lease is not safe.
    [[nodiscard]] duration renew_interval() const { return part(0.25); }
    /// How often to check for expired leases; at most 1 s.
    [[nodiscard]] duration check_interval() const;

private:
    struct entry {
        std::int32_t claim = 0;
        time_point start;
    };

    [[nodiscard]] duration part(double fraction) const {
        return std::chrono::duration_cast<duration>(length_ * fraction);
    }
    [[nodiscard]] bool is_safe(const entry& held, time_point now) const;

    seconds_f length_;
    std::map<std::int64_t, entry> leases_;
};

}  // namespace reelsd::work
