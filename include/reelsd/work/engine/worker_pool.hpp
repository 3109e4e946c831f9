#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace reelsd::work {

/// A fixed number of threads that run tasks, oldest first. Contains the pipeline's only mutex,
/// through which the loop hands tasks to threads.
class worker_pool {
public:
    using task = std::function<void()>;

    explicit worker_pool(std::size_t threads);
    worker_pool(const worker_pool&) = delete;
    worker_pool& operator=(const worker_pool&) = delete;
    /// Waits for running tasks; those that have not begun are dropped.
    ~worker_pool();

    /// Queues a task, which must not throw. Thread-safe.
    void post(task work);

    [[nodiscard]] std::size_t size() const noexcept { return threads_.size(); }

private:
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<task> waiting_;  ///< Bounded by its only user, which posts only to idle threads.
    bool closing_ = false;
    std::vector<std::thread> threads_;  ///< Last: they use the members above.
};

}  // namespace reelsd::work
