#pragma once

#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace reelsd::async {
class task_group;
}

namespace reelsd::jobs {

/// The queue as a dispatcher asks it: reports of the same moment that carry no result share a
/// statement and a commit. On the loop's thread; `tasks`, and the pool behind `jobs`, outlive it.
class reporting_queue final : public job_queue {
public:
    reporting_queue(boost::asio::any_io_executor loop, async::task_group& tasks, job_store jobs);

    boost::asio::awaitable<std::vector<claimed_job>> claim(
        claim_request wanted, deadline by) override;
    boost::asio::awaitable<line_answer> claim_in_line(
        claim_request wanted, platform_line line, deadline by) override;
    boost::asio::awaitable<renewal> renew(
        std::vector<holding> held, seconds_f lease, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> lost_among(
        std::vector<holding> held, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> rescue(rescue_request wanted, deadline by) override;
    boost::asio::awaitable<bool> report(holding held, transition ended, deadline by) override;

private:
    job_store jobs_;
    db::shared_statement<ended_attempt, bool> reports_;
};

}  // namespace reelsd::jobs
