#pragma once

#include "queue_model.hpp"
#include "simulated_loop.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace reelsd::simulation {

/// A start of a daemon: "d2.5" is the fifth start of the second daemon.
struct daemon_start {
    int daemon = 0;
    int start = 0;

    friend bool operator==(const daemon_start&, const daemon_start&) = default;
};

[[nodiscard]] std::string name_of(const daemon_start& which);

/// Checks the invariants at each step. Observes only rows and workers, not reports of the code
/// under test. Keeps the first breach, which ends the run.
class ledger {
public:
    struct rules {
        int attempts_max = 3;
        /// No pending job waits for longer, and no lease lasts longer, by the database's clock.
        duration wait_max{};
        duration lease_max{};
        /// How long work on a deleted job may continue while the database is unreachable.
        duration deleted_work_max{};
    };

    struct tally {
        std::uint64_t submitted = 0;
        std::uint64_t done = 0;
        std::uint64_t failed = 0;
        std::uint64_t removed_open = 0;  ///< Deleted before they ended.
        std::uint64_t claims = 0;
        std::uint64_t attempts = 0;  ///< Attempts that a worker began.
        std::uint64_t rescues = 0;
        std::uint64_t reports = 0;
        std::uint64_t reclaimed = 0;  ///< Claimed again after a lost claim.
    };

    ledger(const simulated_loop& loop, rules hold) : loop_{loop}, rules_{hold} {}

    /// Events of the table. `database_now`: the database's time.
    void note_change(
        row_change why, const model_row* before, const model_row* after, instant database_now);
    /// Events of workers. An attempt that is stopped before it begins is not begun.
    void note_begin(const jobs::lease& held, daemon_start by);
    void note_end(const jobs::lease& held, daemon_start by);

    [[nodiscard]] bool has_begun(const jobs::lease& held) const;
    /// When the row was last claimed, by the loop's clock.
    [[nodiscard]] instant claimed_at(job_id job) const;

    void breach(job_id job, std::string_view what);
    void require(bool holds, job_id job, std::string_view what) {
        if (!holds) breach(job, what);
    }
    [[nodiscard]] bool is_broken() const noexcept { return !breach_.empty(); }
    /// The broken invariant, its step, and the last events of the job.
    [[nodiscard]] std::string report() const;

    [[nodiscard]] const tally& counts() const noexcept { return counts_; }
    [[nodiscard]] std::size_t in_work() const noexcept { return in_work_; }

private:
    /// Observed state of a job.
    struct life {
        int begun = 0;                ///< Attempts at a worker.
        int given_back = 0;           ///< Attempts that a report refunded.
        int never_begun = 0;          ///< Claims whose lease expired before the work began.
        std::int32_t last_begun = 0;  ///< Claim.
        instant claimed_at;
        bool is_worked_on = false;
        jobs::lease worked_under;
        daemon_start worker;
        bool is_deleted = false;
        instant deleted_at;
    };
    struct event {
        std::uint64_t step = 0;
        instant at{};
        job_id job{};
        std::string_view what;  ///< A literal.
        daemon_start by{};      ///< Of workers' events.
        jobs::job_status status = jobs::job_status::pending;
        int attempt = 0;
        std::int32_t claim = 0;
        std::string worker{};  ///< Worker of a running job.
    };

    void check_claim(const model_row& before, const model_row& after, life& of);
    void check_rescue(
        const model_row& before, const model_row& after, life& of, instant database_now);
    void check_report(const model_row& before, const model_row& after, life& of);
    void check_row(const model_row& after, const life& of, instant database_now);
    void check_removal(const model_row& before, life& of);
    void remember(const event& one);
    [[nodiscard]] std::string text_of(const event& entry) const;

    const simulated_loop& loop_;
    rules rules_;
    tally counts_;
    std::unordered_map<std::int64_t, life> lives_;
    std::size_t in_work_ = 0;
    std::vector<event> events_;  ///< The last ones, as a ring.
    std::size_t next_event_ = 0;
    std::string breach_;
    job_id broken_job_;
    std::uint64_t broken_step_ = 0;
};

}  // namespace reelsd::simulation
