#pragma once

#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/work/engine/worker_pool.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <functional>
#include <stop_token>

namespace reelsd::work {

/// Where a dispatcher's attempts run. Thread: the loop's.
class attempt_runner {
public:
    /// Called once, on the loop, and never within `start`.
    using end_handler = std::function<void(jobs::transition ended)>;

    attempt_runner() = default;
    attempt_runner(const attempt_runner&) = delete;
    attempt_runner& operator=(const attempt_runner&) = delete;
    /// Waits for what runs; `on_end` is not called any more.
    virtual ~attempt_runner() = default;

    /// How many attempts may run at once; 0 or more.
    [[nodiscard]] virtual std::size_t capacity() const noexcept = 0;

    /// Begins an attempt; the caller keeps to the capacity. It ends soon after a stop request.
    virtual void start(jobs::claimed_job job, std::stop_token stop, end_handler on_end) = 0;
};

/// What runs one attempt on a worker thread. Does not throw; ends soon after a stop request.
using job_runner = std::function<jobs::transition(const jobs::claimed_job&, std::stop_token)>;

/// Attempts on threads of their own.
class threaded_attempt_runner final : public attempt_runner {
public:
    threaded_attempt_runner(boost::asio::any_io_executor loop, std::size_t threads, job_runner run);

    [[nodiscard]] std::size_t capacity() const noexcept override { return threads_.size(); }
    void start(jobs::claimed_job job, std::stop_token stop, end_handler on_end) override;

private:
    boost::asio::any_io_executor loop_;
    job_runner run_;
    worker_pool threads_;  ///< Last: its threads use the members above.
};

}  // namespace reelsd::work
