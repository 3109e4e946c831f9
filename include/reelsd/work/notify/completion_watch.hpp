#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/jobs/completion_board.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>

namespace reelsd::work {

/// Announces the ends of jobs that other instances work on, while somebody here waits for them.
/// Thread: the loop's.
class completion_watch {
public:
    /// Whether this instance holds the job, and so announces its end by itself.
    using holding_check = std::function<bool(job_id)>;

    /// Asks every `interval`. `queue`, `board` and `tasks`, which runs our coroutine, outlive this.
    completion_watch(
        jobs::job_queue& queue, jobs::completion_board& board, async::task_group& tasks,
        std::chrono::milliseconds interval, holding_check is_held, log::logger log);

    void start() { tasks_.spawn("watch completions", run()); }

private:
    boost::asio::awaitable<void> run();
    boost::asio::awaitable<void> look();

    jobs::job_queue& queue_;
    jobs::completion_board& board_;
    async::task_group& tasks_;
    std::chrono::milliseconds interval_;
    holding_check is_held_;
    log::logger log_;
};

}  // namespace reelsd::work
