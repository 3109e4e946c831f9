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

/// An attempt, and how it leaves its job.
struct ended_attempt {
    lease held;
    transition ended;
};

/// The queue in the database. Each operation is one statement, but for rescue(). A cheap value
/// around the pool, which must outlive it. On the loop's thread.
class queue_store : public job_queue {
public:
    explicit queue_store(db::pool& pool) : pool_{&pool} {}

    boost::asio::awaitable<std::vector<claimed_job>> claim(
        claim_request wanted, deadline by) override;
    boost::asio::awaitable<line_answer> claim_in_line(
        claim_request wanted, platform_line line, deadline by) override;
    boost::asio::awaitable<renewal> renew(
        std::vector<lease> held, seconds_f lease, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> lost_among(
        std::vector<lease> held, deadline by) override;
    boost::asio::awaitable<std::vector<job_id>> rescue(rescue_request wanted, deadline by) override;
    boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) override;
    /// Several reports of attempts that have no result (none is `completed`), at most one of each
    /// job: true for each that was written.
    boost::asio::awaitable<std::vector<bool>> report_all(
        const std::vector<ended_attempt>& attempts, deadline by);

private:
    boost::asio::awaitable<bool> complete(lease held, const completed& success, deadline by);

    db::pool* pool_;
};

/// The queue as a dispatcher uses it: reports of the same moment that carry no result share a
/// statement and a commit. On the loop's thread; `tasks` and `pool` outlive it.
class reporting_queue final : public queue_store {
public:
    reporting_queue(boost::asio::any_io_executor loop, async::task_group& tasks, db::pool& pool);

    boost::asio::awaitable<bool> report(lease held, transition ended, deadline by) override;

private:
    db::shared_statement<ended_attempt, bool> reports_;
};

}  // namespace reelsd::jobs
