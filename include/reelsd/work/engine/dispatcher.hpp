#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>
#include <reelsd/work/engine/claim_planning.hpp>
#include <reelsd/work/engine/lease_table.hpp>
#include <reelsd/work/engine/work_loop.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::work {

struct dispatcher_options {
    /// Name of this start in the queue. Unique over all starts of all instances, because jobs held
    /// under it count as this dispatcher's.
    std::string worker;
    seconds_f lease{60.0};  ///< At least 1 s.
    /// Part of the shutdown time in which running attempts may end by themselves.
    std::chrono::milliseconds drain{4000};
    jobs::retry_policy policy;
    /// The platform for whose permits jobs wait in line; nothing without a configured pace.
    std::optional<jobs::platform_line> line = {};
    int concurrent_jobs_default = 3;  ///< For accounts without a limit of their own.
    /// How often an idle instance polls for jobs that others accepted or lost.
    std::chrono::milliseconds look_interval{1000};
    /// How often an instance checks which of its running jobs were deleted through another one. A
    /// deletion stops the work within 2 s.
    std::chrono::milliseconds lost_interval{1000};
    /// Called on the loop after this instance has changed a job's state, or after cancel().
    std::function<void(job_id)> on_job_changed = [](job_id) {};
    /// Called on the loop after each attempt's report, for metrics. `written` is false if this
    /// instance no longer held the job. Optional.
    std::function<void(const jobs::transition& ended, seconds_f took, bool written)>
        on_attempt_ended;
};

using attempt_runner = work_runner<jobs::claimed_job, jobs::transition>;
using threaded_attempt_runner = threaded_runner<jobs::claimed_job, jobs::transition>;

/// Connects the queue with the workers: a work_loop over jobs that also renews their leases and
/// frees jobs whose worker died.
///
/// If attempts are shorter than a claim, the dispatcher prefetches jobs, which wait here for an
/// idle worker. If none becomes idle for too long, it releases them to their old places in the
/// queue.
///
/// A worker whose lease is no longer safe (not renewed for most of its length, because the database
/// is down) is stopped before the lease ends, so that no job runs twice at the same time. A report
/// that cannot be written is retried for as long as the daemon runs: the claim number makes a late
/// report harmless.
///
/// A claim whose answer is lost may have taken jobs, or may take them later. The next claim has a
/// higher epoch and also takes the jobs held under a lower one.
///
/// Thread: all members on the loop. Must be stopped before it is destroyed.
class dispatcher final : public work_loop<jobs::claimed_job, jobs::transition> {
public:
    /// `queue` and `tasks`, which runs the coroutines, outlive this. If `attempts` has no capacity,
    /// the dispatcher does nothing.
    dispatcher(
        jobs::job_queue& queue, async::task_group& tasks, std::unique_ptr<attempt_runner> attempts,
        dispatcher_options options, log::logger log);
    ~dispatcher() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "dispatch jobs"; }

    /// Starts to claim, renew and rescue.
    void start() override;

    /// Stops the attempt at a job that was deleted on this instance.
    void cancel(job_id job);

    /// When the queue was last read successfully, including claims; empty without workers.
    [[nodiscard]] std::optional<monotonic_clock::time_point> looked_at() const noexcept {
        return looked_at_;
    }

private:
    awaitable<void> claim_work() override;
    [[nodiscard]] bool has_room() const override { return jobs_to_claim() > 0; }
    [[nodiscard]] deadline next_claim_at() const override;
    void log_claim_failure(const db::failure& failure) const override;
    [[nodiscard]] bool may_begin(const jobs::claimed_job& job) const override {
        return leases_.is_lease_safe(job.id, monotonic_clock::now());
    }
    void on_begin(const jobs::claimed_job& job) override {
        log_.debug("job begins", {{"job", job.id.value}, {"attempt", job.attempt}});
    }
    void on_end(const held_claim& ended) override;
    awaitable<bool> write_report(
        const jobs::claimed_job& job, const jobs::transition& ended) override;
    [[nodiscard]] jobs::transition released() const override { return jobs::released{}; }
    jobs::transition after_refusal(
        const jobs::claimed_job& job, jobs::transition refused, const db::failure& refusal,
        bool repeated) override;
    void on_reported(
        const held_claim& ended, const jobs::transition& outcome, bool written) override;
    void on_database_change(bool is_reachable) override;

    awaitable<void> lease_loop();
    awaitable<void> expiry_loop();
    awaitable<void> lost_loop();
    awaitable<void> claim();
    awaitable<void> claim_in_line();
    awaitable<void> rescue();
    awaitable<void> renew();
    awaitable<void> stop_lost();

    [[nodiscard]] jobs::claim_request next_claim() const;
    void note_lost_claim(const db::failure& failure);
    void take_job(jobs::claimed_job job, monotonic_clock::time_point claim_sent);
    void stop_expired();
    void release_late();
    void note_report(const held_claim& ended, const jobs::transition& outcome, bool written) const;
    void log_attempt(
        const jobs::claimed_job& job, const jobs::transition& ended, seconds_f took) const;
    [[nodiscard]] std::size_t jobs_to_claim() const noexcept;  ///< Jobs to claim now.
    /// True if a worker is idle and the next permit may be due.
    [[nodiscard]] bool may_claim_in_line() const;

    jobs::job_queue& queue_;
    async::task_group& tasks_;
    dispatcher_options options_;
    log::logger log_;

    lease_table leases_;            ///< Leases of the held claims.
    std::int32_t claim_epoch_ = 0;  ///< Grows after each claim whose answer was lost.
    prefetch prefetch_;
    claim_cursor cursor_;
    monotonic_clock::time_point next_rescue_{};
    monotonic_clock::time_point next_permit_{};  ///< No permit is requested before.
    bool is_line_empty_ = true;                  ///< As last reported by the queue.
    std::optional<monotonic_clock::time_point> looked_at_;
};

}  // namespace reelsd::work
