#pragma once

#include <reelsd/db/shared_statement.hpp>
#include <reelsd/domain/jobs/job_queue.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <vector>

namespace reelsd::async {
class task_group;
}
namespace reelsd::db {
class pool;
}

namespace reelsd::jobs {

/// An attempt and the transition of its job.
struct ended_attempt {
    lease held;
    transition ended;
};

/// The queue in the database. Each operation but rescue() is one statement. A cheap value around
/// the pool, which outlives it. Thread: the loop's.
class queue_store : public job_queue {
public:
    explicit queue_store(db::pool& pool) : pool_{&pool} {}

    boost::asio::awaitable<std::vector<claimed_job>> claim(
        claim_request request, deadline by) override;
    boost::asio::awaitable<line_answer> claim_in_line(
        claim_request request, platform_line line, deadline by) override;
    boost::asio::awaitable<renewal> renew(
        std::vector<lease> held, seconds_f lease, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> lost_among(
        std::vector<lease> held, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> rescue(
        rescue_request request, deadline by) override;
    boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) override;
    /// Reports attempts without a result (none is `completed`), at most one of each job. Returns
    /// true for each that was written.
    boost::asio::awaitable<std::vector<bool>> report_all(
        const std::vector<ended_attempt>& attempts, deadline by);

private:
    boost::asio::awaitable<bool> complete(lease held, const completed& success, deadline by);

    db::pool* pool_;
};

/// The queue of a dispatcher: concurrent reports without a result share a statement and a commit.
/// Thread: the loop's. `tasks` and `pool` outlive it.
class reporting_queue final : public queue_store {
public:
    reporting_queue(boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);

    boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) override;

private:
    db::shared_statement<ended_attempt, bool> reports_;
};

}  // namespace reelsd::jobs
