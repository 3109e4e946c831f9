#pragma once

#include "dice.hpp"
#include <reelsd/domain/jobs/job_queue.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::simulation {

/// The columns of the `job` table that the queue uses.
struct model_row {
    job_id id;
    jobs::job_status status = jobs::job_status::pending;
    int attempt = 0;
    std::int32_t claim = 0;
    account_id account;
    std::int64_t turn = 0;
    instant run_at;
    /// As in the table: empty, `waits_for_time`, `waits_for_account` or the platform's host.
    std::string waits_for;
    std::string permit;   ///< Only while `processing`.
    instant lease_until;  ///< Only while `processing`.
    std::string worker;   ///< Only while `processing`.
    std::int32_t claim_epoch = 0;
    std::optional<jobs::job_error_code> error_code;
    std::string error;
    std::string result;  ///< Only when `done`.
    /// "1 w timed_out analyze": attempt, worker, cause and step of each counted attempt.
    std::vector<std::string> failed_attempts;
};

inline constexpr const char* waits_for_time = "time";
inline constexpr const char* waits_for_account = "account";

enum class row_change : std::uint8_t {
    submitted,
    claimed,
    permitted,
    renewed,
    rescued,
    delay_ended,
    released,
    reported,
    removed
};

/// Model of queue_store's statements over rows in memory. queue_model_test.cpp checks that both
/// agree. Times are those of the database's clock.
class queue_model {
public:
    /// Called with each change of a row before the answer. Null for a missing row.
    using observer =
        std::function<void(row_change, const model_row* before, const model_row* after)>;

    explicit queue_model(observer observe) : observe_{std::move(observe)} {}

    /// From now on, further jobs of an account wait for it, as with `queue`. Unlimited at first.
    void limit_concurrent_jobs(std::size_t most) { concurrent_jobs_ = most; }

    job_id submit(instant now, account_id by = {1});
    bool remove(instant now, job_id job);

    std::vector<jobs::claimed_job> claim(instant now, const jobs::claim_request& request);
    jobs::line_answer claim_in_line(
        instant now, const jobs::claim_request& request, const jobs::platform_line& line);
    /// Like pace_store::ask_permit(): true when the job may continue.
    bool ask_permit(instant now, const jobs::lease& held, const jobs::platform_line& line);
    std::vector<jobs::lease> renew(
        instant now, const std::vector<jobs::lease>& held, seconds_f lease);
    std::vector<job_id> lost_among(const std::vector<jobs::lease>& held) const;
    std::vector<job_id> rescue(instant now, const jobs::rescue_request& request);
    bool report(instant now, const jobs::lease& held, const jobs::transition& ended);
    std::vector<job_id> ended_among(const std::vector<job_id>& awaited) const;

    /// Moves a lease or the time from which a job is due, as a test does.
    void expire(job_id job, instant lease_until);
    void make_due(job_id job, instant run_at);
    /// Allows the next permit immediately.
    void make_permit_due() { next_permit_ = {}; }

    [[nodiscard]] const model_row* find(job_id job) const;
    [[nodiscard]] const std::map<std::int64_t, model_row>& rows() const noexcept { return rows_; }
    /// The running jobs, earliest end of lease first.
    [[nodiscard]] const std::set<std::pair<instant, std::int64_t>>& leased() const noexcept {
        return leased_;
    }
    /// Pending or running.
    [[nodiscard]] std::size_t open() const noexcept { return active_.size(); }
    [[nodiscard]] std::size_t in_line() const noexcept { return line_.size(); }
    /// The first job in line of each account, by account.
    [[nodiscard]] std::map<std::int64_t, job_id> heads() const;
    /// Whether an earlier job of its account may still get a permit.
    [[nodiscard]] bool is_behind_own_account(job_id job) const;

private:
    /// Null unless the lease is current.
    [[nodiscard]] const model_row* held_row(const jobs::lease& held) const;
    /// The job that gets the next permit; 0 for none.
    [[nodiscard]] std::int64_t next_in_line(const jobs::claim_request& request) const;
    [[nodiscard]] std::int64_t next_turn(account_id of) const;
    /// As release_queued_jobs().
    void release_queued(instant now, account_id of);
    /// As leave_other_lines().
    void leave_other_lines(const std::string& served_host);
    jobs::claimed_job take(model_row row, instant now, const jobs::claim_request& request);
    [[nodiscard]] std::vector<std::int64_t> to_claim(const jobs::claim_request& request) const;
    void put(row_change why, const model_row& after);
    void index(const model_row& row);
    void unindex(const model_row& row);

    observer observe_;
    std::map<std::int64_t, model_row> rows_;
    using place = std::pair<std::int64_t, std::int64_t>;
    std::set<place> ready_;                               ///< By `turn` and id.
    std::set<std::pair<instant, std::int64_t>> delayed_;  ///< By `run_at`.
    std::map<place, std::int64_t> line_;                  ///< By account and `turn`: the ids.
    std::map<place, std::int64_t> active_;                ///< The same for all open jobs.
    std::set<std::pair<instant, std::int64_t>> leased_;   ///< By `lease_until`.
    std::size_t concurrent_jobs_ = std::numeric_limits<std::size_t>::max();
    std::int64_t last_id_ = 0;
    std::int64_t last_turn_ = 0;     ///< Of the last claim.
    std::int64_t last_account_ = 0;  ///< Of the last permit from the line.
    instant next_permit_{};
};

}  // namespace reelsd::simulation
