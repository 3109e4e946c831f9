#include <reelsd/domain/jobs/reporting_queue.hpp>

#include <optional>
#include <utility>
#include <variant>

namespace reelsd::jobs {
namespace {

boost::asio::awaitable<std::vector<std::optional<bool>>> report_together(
    queue_store jobs, const std::vector<ended_attempt>& attempts, deadline by) {
    const auto written = co_await jobs.report_all(attempts, by);
    co_return std::vector<std::optional<bool>>(written.begin(), written.end());
}

}  // namespace

reporting_queue::reporting_queue(
    boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool)
    : queue_store{pool},
      reports_{
          std::move(loop),
          tasks,
          // While one is written to disk, the next one gathers.
          db::batching{.statements_max = 1},
          [&pool](const std::vector<ended_attempt>& attempts, deadline by) {
              return report_together(queue_store{pool}, attempts, by);
          }} {}

boost::asio::awaitable<bool> reporting_queue::report(lease held, transition ended, deadline by) {
    if (std::holds_alternative<completed>(ended))
        co_return co_await queue_store::report(held, std::move(ended), by);
    ended_attempt one{.held = held, .ended = std::move(ended)};
    co_return (co_await reports_.answer(std::move(one), by)).value();
}

}  // namespace reelsd::jobs
