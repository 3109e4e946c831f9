#include <reelsd/work/engine/worker_pool.hpp>

#include <utility>

namespace reelsd::work {

worker_pool::worker_pool(std::size_t threads) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        threads_.emplace_back([this] { serve(); });
    }
}

worker_pool::~worker_pool() {
    {
        const std::lock_guard lock{mutex_};
        closing_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void worker_pool::post(task work) {
    {
        const std::lock_guard lock{mutex_};
        waiting_.push_back(std::move(work));
    }
    changed_.notify_one();
}

void worker_pool::serve() {
    for (;;) {
        task work;
        {
            std::unique_lock lock{mutex_};
            changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
            if (closing_) return;
            work = std::move(waiting_.front());
            waiting_.pop_front();
        }
        work();
    }
}

}  // namespace reelsd::work
