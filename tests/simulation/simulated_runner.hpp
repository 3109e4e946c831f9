#pragma once

#include "ledger.hpp"
#include "simulated_loop.hpp"
#include <reelsd/domain/jobs/job_queue.hpp>
#include <reelsd/work/engine/dispatcher.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace reelsd::simulation {

/// Outcomes of attempts, as probabilities; the rest succeeds.
struct work_mix {
    duration time_mean = std::chrono::seconds{1};
    duration long_time{};  ///< Of the few attempts that last for several leases.
    double is_long = 0;
    double fails = 0;           ///< Permanently.
    double is_tried_again = 0;  ///< While the policy allows.
    double is_snoozed = 0;
    double needs_permit = 0;       ///< Sends a request to the platform.
    double is_unstorable = 0;      ///< The database refuses the result.
    double takes_daemon_down = 0;  ///< Its daemon dies.
    jobs::retry_policy policy;
    jobs::platform_line line{.host = "platform", .resolvers = {"page"}};
};

/// Work in simulated time instead of threads. Ends within 0.1 s of a stop request, like the steps
/// of a job.
class simulated_runner final : public work::attempt_runner {
public:
    struct surroundings {
        simulated_loop& loop;
        dice& chance;
        ledger& watch;
        const work_mix& mix;  ///< As it is now.
        std::function<bool(const jobs::lease&)> ask_permit;
    };

    /// `die` is called when an attempt takes its daemon down.
    simulated_runner(
        surroundings around, daemon_start who, std::size_t capacity, std::function<void()> die);
    /// Drops all work, as when a process is killed.
    ~simulated_runner() override;

    [[nodiscard]] std::size_t capacity() const noexcept override { return capacity_; }
    void start(jobs::claimed_job job, std::stop_token stop, end_handler on_end) override;

    /// Attempts started so far.
    [[nodiscard]] std::uint64_t started() const noexcept { return started_; }

private:
    struct attempt {
        jobs::lease held;
        end_handler on_end;
        bool is_at_work = false;
        std::optional<std::stop_callback<std::function<void()>>> on_stop;
    };

    [[nodiscard]] jobs::transition drawn_end(const jobs::claimed_job& job);
    [[nodiscard]] duration drawn_time();
    void plan_end(std::uint64_t number, duration after, jobs::transition ended);
    void end(std::uint64_t number, jobs::transition ended);
    void plan_death(std::uint64_t number, duration after);

    surroundings around_;
    daemon_start who_;
    std::size_t capacity_;
    std::function<void()> die_;
    std::map<std::uint64_t, attempt> attempts_;
    std::uint64_t started_ = 0;
    /// Shows planned events that the runner has been destroyed.
    std::shared_ptr<simulated_runner*> self_ = std::make_shared<simulated_runner*>(this);
};

}  // namespace reelsd::simulation
