#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/work/notify/completion_watch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

/// Jobs asked about by one statement.
constexpr std::size_t jobs_max = 1000;

}  // namespace

completion_watch::completion_watch(
    jobs::job_queue& queue, jobs::completion_board& board, async::task_group& tasks,
    std::chrono::milliseconds interval, holding_check is_held, log::logger log)
    : queue_{queue},
      board_{board},
      tasks_{tasks},
      interval_{interval},
      is_held_{std::move(is_held)},
      log_{std::move(log)} {}

asio::awaitable<void> completion_watch::run() {
    for (;;) {
        co_await async::pause(interval_);
        if (board_.waiter_count() == 0) continue;
        try {
            co_await look();
        } catch (const db::failure& failure) {
            // The waiters' own reads tell their clients; here it is only noise.
            log_.debug("queue: watch", {{"reason", failure.what()}});
        }
    }
}

asio::awaitable<void> completion_watch::look() {
    auto awaited = board_.awaited();
    std::erase_if(awaited, is_held_);
    for (std::size_t first = 0; first < awaited.size(); first += jobs_max) {
        const auto last = std::min(first + jobs_max, awaited.size());
        const std::vector<job_id> part(
            awaited.begin() + static_cast<std::ptrdiff_t>(first),
            awaited.begin() + static_cast<std::ptrdiff_t>(last));
        const auto ended =
            co_await queue_.ended_among(part, deadline::after(jobs::queue_query_time_max));
        for (const auto job : ended) board_.announce(job);
    }
}

}  // namespace reelsd::work
