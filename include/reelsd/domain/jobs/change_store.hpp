#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/jobs/job.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reelsd::jobs {

struct job_change {
    account_id account;
    jobs::job job;
    std::string step;  ///< The current step; empty unless `processing` and known.
    time_point at;     ///< By the database's clock.
};

struct job_deletion {
    account_id account;
    job_id job;
    time_point at;  ///< By the database's clock.
};

/// The current state of a job, for a client that follows it to its end.
struct job_state_view {
    jobs::job job;          ///< With its result.
    int attempt = 0;        ///< Begun attempts, without released ones.
    std::string step;       ///< The current step; empty unless `processing` and known.
    time_point changed_at;  ///< By the database's clock.
};

struct watched_job {
    job_id job;
    std::optional<time_point> seen;  ///< Its `changed_at`; empty to wait only for its end.
};

struct watched_change {
    job_id job;
    std::optional<time_point> changed_at;  ///< Empty: the job is gone.
    bool is_over = false;                  ///< The job has ended or is gone.
};

struct change_batch {
    std::vector<job_change> changed;         ///< Oldest change first within an account.
    std::vector<job_deletion> deleted = {};  ///< Oldest deletion first within an account.
    time_point until;                        ///< The database's clock when this was read.
    /// Accounts that have as many changes or deletions as were requested, and perhaps more.
    std::set<account_id> truncated = {};
};

struct step_note {
    job_id job;
    std::int32_t claim = 0;
    std::string step;
};

/// Reads changes of jobs. A change may become visible a moment after its time, so a reader that
/// continues from a position starts `change_overlap` before it and expects repetitions.
class change_store : public db::store {
public:
    using db::store::store;

    /// Changes of these accounts' jobs after `since`: of each account at most `most_of_each`
    /// changes and as many deletions, so that a busy account takes nothing from the others.
    awaitable<change_batch> changes(
        std::vector<account_id> accounts, time_point since, int most_of_each, deadline by);
    /// The account's running jobs; at most `most`, the latest change last.
    awaitable<std::vector<job_change>> in_work(account_id account, int most, deadline by);
    awaitable<time_point> now(deadline by);

    /// The state of the caller's own job; empty for an unknown or another account's id.
    awaitable<std::optional<job_state_view>> state_of(account_id caller, job_id id, deadline by);
    /// The watched jobs that have ended, are gone, or have changed since they were seen.
    awaitable<std::vector<watched_change>> changed_among(
        const std::vector<watched_job>& watched, deadline by);

    /// Removes up to `most` of the oldest deletions that no reader can need, and returns their
    /// number. Skips rows that are locked.
    awaitable<std::int64_t> forget_old_deletions(int most, deadline by);

    /// Records the steps of jobs, at most one of each. Ignores claims that are no longer current.
    awaitable<void> note_steps(const std::vector<step_note>& steps, deadline by);
};

/// Longer than any statement may take.
inline constexpr std::chrono::seconds change_overlap{10};
/// Time for which deletions are kept.
inline constexpr std::chrono::hours deletion_memory{24};

}  // namespace reelsd::jobs
