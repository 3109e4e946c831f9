#include <reelsd/domain/jobs/reporting_queue.hpp>

#include <optional>
#include <utility>
#include <variant>

namespace reelsd::jobs {
namespace {

boost::asio::awaitable<std::vector<std::optional<bool>>> report_together(
    job_store jobs, const std::vector<ended_attempt>& attempts, deadline by) {
    const auto written = co_await jobs.report_all(attempts, by);
    co_return std::vector<std::optional<bool>>(written.begin(), written.end());
}

}  // namespace

reporting_queue::reporting_queue(
    boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs)
    : jobs_{jobs},
      reports_{
          std::move(loop),
          tasks,
          // While one is written to disk, the next one gathers.
          db::sharing{.statements_max = 1},
          [jobs](const std::vector<ended_attempt>& attempts, deadline by) {
              return report_together(jobs, attempts, by);
          }} {}

boost::asio::awaitable<bool> reporting_queue::report(holding held, transition ended, deadline by) {
    if (std::holds_alternative<completed>(ended))
        co_return co_await jobs_.report(held, std::move(ended), by);
    ended_attempt one{.held = held, .ended = std::move(ended)};
    co_return (co_await reports_.answer(std::move(one), by)).value();
}

boost::asio::awaitable<std::vector<claimed_job>> reporting_queue::claim(
    claim_request wanted, deadline by) {
    return jobs_.claim(std::move(wanted), by);
}

boost::asio::awaitable<line_answer> reporting_queue::claim_in_line(
    claim_request wanted, platform_line line, deadline by) {
    return jobs_.claim_in_line(std::move(wanted), std::move(line), by);
}

boost::asio::awaitable<renewal> reporting_queue::renew(
    std::vector<holding> held, seconds_f lease, deadline by) {
    return jobs_.renew(std::move(held), lease, by);
}

boost::asio::awaitable<std::vector<job_id>> reporting_queue::lost_among(
    std::vector<holding> held, deadline by) {
    return jobs_.lost_among(std::move(held), by);
}

boost::asio::awaitable<std::vector<job_id>> reporting_queue::rescue(
    rescue_request wanted, deadline by) {
    return jobs_.rescue(std::move(wanted), by);
}

}  // namespace reelsd::jobs
