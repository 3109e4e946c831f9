#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>
#include <reelsd/work/engine/attempt_runner.hpp>
#include <reelsd/work/engine/claim_ahead.hpp>
#include <reelsd/work/engine/claim_cursor.hpp>
#include <reelsd/work/engine/lease_table.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::work {

struct dispatcher_options {
    /// This start's name, as the queue shows it. No other start of any instance has had it, for
    /// what is held under it is taken to be ours.
    std::string worker;
    seconds_f lease{60.0};  ///< At least 1 s.
    /// Of the time that a stop has: what running attempts get to end by themselves.
    std::chrono::milliseconds drain{4000};
    jobs::retry_policy policy;
    /// The platform for whose permits jobs wait in line; nothing when there is no pace of our own.
    std::optional<jobs::platform_line> line = {};
    /// How often an idle instance looks for jobs that others accepted or lost.
    std::chrono::milliseconds look_interval{1000};
    /// How often an instance asks which of its running jobs were deleted through another one. A
    /// deletion is promised to stop the work within 2 s.
    std::chrono::milliseconds lost_interval{1000};
    /// Called on the loop after this instance has changed a job's state, or has learned from
    /// cancel() that it was deleted.
    std::function<void(job_id)> on_job_changed = [](job_id) {};
    /// Called on the loop after each attempt's report, with what it came to: for metrics. `written`
    /// is false when the job was no longer ours. Optional.
    std::function<void(const jobs::transition& ended, seconds_f took, bool written)>
        on_attempt_ended;
};

/// Connects the queue with the workers: claims due jobs for idle ones, keeps their leases
/// alive, reports how attempts ended, and frees jobs whose worker died.
///
/// Where attempts are shorter than a claim, some jobs are claimed ahead (claim_ahead) and wait here
/// until a worker is idle. They are handed back, to their old places in the queue, when none is for
/// too long.
///
/// A worker whose lease can no longer be trusted (not renewed for most of its length, because the
/// database is away) is stopped before the lease runs out, so that no job is ever worked on twice
/// at once. A finished attempt whose report cannot be written is kept and tried again for as long
/// as the daemon lives: the claim number makes a late report harmless.
///
/// A claim whose answer is lost may have taken jobs that no worker begins, or may do so later. The
/// next claim has a higher epoch and takes what is held under a lower one.
///
/// Thread: all members on the loop. Must be stopped before it is destroyed.
class dispatcher final : public async::background_service {
public:
    /// `queue` and `tasks`, which runs our coroutines, outlive this. With a runner without
    /// capacity, the dispatcher does nothing.
    dispatcher(
        jobs::job_queue& queue, async::task_group& tasks, std::unique_ptr<attempt_runner> runner,
        dispatcher_options options, log::logger log);
    ~dispatcher() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "dispatch jobs"; }

    /// Begins to claim, renew and rescue.
    void start() override;

    /// A job has become due on this instance: an idle worker takes it at once.
    void wake();

    /// The job was deleted on this instance: stops its attempt.
    void cancel(job_id job);

    /// Claims no more, and hands back what has not begun; lets running attempts end for
    /// `options.drain`; then asks them to stop and hands their jobs back. True when nothing is left
    /// by `by`. What is left then is rescued by others when its lease runs out.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by) override;

    /// Workers that are at an attempt, or that must wait because something cannot be told of yet.
    [[nodiscard]] std::size_t busy() const noexcept;
    /// Jobs that this instance holds: running, being reported, or claimed ahead.
    [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }
    /// Of these, the ones whose attempt has not begun: they wait, or are being handed back.
    [[nodiscard]] std::size_t unbegun() const noexcept;
    /// When the queue was last looked at with success, claims included; empty without workers.
    [[nodiscard]] std::optional<monotonic_clock::time_point> looked_at() const noexcept {
        return looked_at_;
    }

private:
    /// `waiting` for a worker, `at_work`, and `ended`, which is told to the queue; or handed back
    /// without having been begun.
    enum class stage : std::uint8_t { waiting, at_work, ended, handed_back };

    /// One job in our hands. Work is done under its lease only while it is `at_work`.
    struct held_job {
        jobs::claimed_job job;
        std::stop_source stop = {};
        monotonic_clock::time_point since;  ///< It waits, or its attempt began.
        stage now = stage::waiting;
        /// Its report could not be written at once.
        bool is_delayed = false;
    };
    using held_jobs = std::map<std::int64_t, held_job>;

    boost::asio::awaitable<void> claim_loop();
    boost::asio::awaitable<void> lease_loop();
    boost::asio::awaitable<void> expiry_loop();
    boost::asio::awaitable<void> lost_loop();
    boost::asio::awaitable<void> claim();
    boost::asio::awaitable<void> claim_in_line();
    boost::asio::awaitable<void> rescue();
    boost::asio::awaitable<void> renew();
    boost::asio::awaitable<void> stop_lost();
    boost::asio::awaitable<void> report(std::int64_t id, jobs::transition ended);

    [[nodiscard]] jobs::claim_request next_claim() const;
    void note_lost_claim(const db::failure& failure);
    void take(jobs::claimed_job job, monotonic_clock::time_point claim_sent);
    void begin_waiting();
    void begin(held_job& held);
    void end(std::int64_t id, jobs::transition ended);
    void stop_attempt(held_job& held);
    void hand_back(held_job& held);
    void hand_back_late();
    void stop_expired();
    void note_database(bool reachable);
    void note_report(const held_job& held, const jobs::transition& ended, bool written);
    void log_attempt(
        const jobs::claimed_job& job, const jobs::transition& ended, seconds_f took) const;
    [[nodiscard]] std::size_t wanted() const noexcept;  ///< Jobs to claim now.
    /// A worker is idle, and the next permit may be due.
    [[nodiscard]] bool may_claim_in_line() const;
    [[nodiscard]] deadline next_look() const;

    jobs::job_queue& queue_;
    async::task_group& tasks_;
    dispatcher_options options_;
    log::logger log_;

    held_jobs held_;
    lease_table leases_;                ///< Of the jobs in `held_`.
    std::deque<std::int64_t> waiting_;  ///< Of `held_`, as they were claimed. For a busy worker.
    std::size_t occupied_ = 0;          ///< Of the workers' places: by what is at work, or delayed.
    std::int32_t claim_epoch_ = 0;      ///< Grows after each claim whose answer was lost.
    claim_ahead ahead_;
    claim_cursor cursor_;
    monotonic_clock::time_point next_permit_{};  ///< Not looked for before.
    bool is_line_empty_ = true;                  ///< As far as is known here.
    async::condition woken_;
    async::condition emptied_;
    bool wake_pending_ = false;
    bool claiming_ = false;  ///< The claim loop runs.
    bool stopping_ = false;
    bool stopped_ = false;  ///< Nothing is begun any more.
    bool database_reachable_ = true;
    std::optional<monotonic_clock::time_point> looked_at_;
    std::unique_ptr<attempt_runner> runner_;  ///< Last: its attempts end in the members above.
};

}  // namespace reelsd::work
